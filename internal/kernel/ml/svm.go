package ml

import (
	"context"
	"fmt"
	"math"

	"gort/internal/kernel/gemm"
	"gort/internal/parallel"
	"gort/internal/simd"
)

// SVMKernel is the function of a sample and a support vector.
type SVMKernel struct {
	Name                string // LINEAR, POLY, RBF or SIGMOID
	Gamma, Coef, Degree float32
}

// ParseSVMKernel reads the attributes kernel_type and kernel_params.
func ParseSVMKernel(name string, params []float32) (SVMKernel, error) {
	k := SVMKernel{Name: name}
	switch name {
	case "LINEAR", "POLY", "RBF", "SIGMOID":
	default:
		return k, fmt.Errorf("is %q, allowed are LINEAR, POLY, RBF, SIGMOID", name)
	}
	if len(params) >= 3 {
		k.Gamma, k.Coef, k.Degree = params[0], params[1], params[2]
	}
	return k, nil
}

// Dots writes for each row of x the kernel with each of n vectors:
//
//	LINEAR  x.v      POLY  (gamma*x.v + coef0)^degree
//	RBF  exp(-gamma*|x-v|^2)      SIGMOID  tanh(gamma*x.v + coef0)
func (k SVMKernel) Dots(ctx context.Context, p *parallel.Pool, x []float32, rows, features int, v []float32, n int, out []float32) error {
	if k.Name == "RBF" {
		return p.For(ctx, rows, max(1, 8<<10/(n*features+1)), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				a := x[i*features : (i+1)*features]
				row := out[i*n : (i+1)*n]
				for j := range row {
					b := v[j*features:][:len(a)]
					var sum float32
					for f, w := range a {
						d := w - b[f]
						sum += d * d
					}
					row[j] = -k.Gamma * sum
				}
				simd.Exp(row, row)
			}
		})
	}
	alpha, beta := float32(1), float32(0)
	if k.Name != "LINEAR" {
		alpha, beta = k.Gamma, 1
		for i := range out {
			out[i] = k.Coef
		}
	}
	if err := gemm.Float32(ctx, p, false, true, rows, n, features, alpha, x, features, v, features, beta, out, n); err != nil {
		return err
	}
	switch k.Name {
	case "POLY":
		for i, s := range out {
			switch k.Degree {
			case 2:
				out[i] = s * s
			case 3:
				out[i] = s * s * s
			default:
				out[i] = float32(math.Pow(float64(s), float64(k.Degree)))
			}
		}
	case "SIGMOID":
		simd.Tanh(out, out)
	}
	return nil
}

// SVC is a support vector classifier of pairs of classes, as libsvm trains it.
type SVC struct {
	Kernel       SVMKernel
	Vectors      []float32 // rows of Features
	Features     int
	PerClass     []int     // how many of the vectors belong to each class
	Coefficients []float32 // classes-1 rows, a coefficient for each vector
	Rho          []float32 // for each pair
	ProbA, ProbB []float32 // for each pair, or none
}

// Count is the number of support vectors.
func (s *SVC) Count() int {
	n := 0
	for _, c := range s.PerClass {
		n += c
	}
	return n
}

// Pairs is the number of pairs of classes.
func (s *SVC) Pairs() int { return len(s.PerClass) * (len(s.PerClass) - 1) / 2 }

// Check verifies that the lists have the sizes that the classes need.
func (s *SVC) Check() error {
	n, classes := s.Count(), len(s.PerClass)
	for _, c := range s.PerClass {
		if c < 0 || c > len(s.Vectors) {
			return fmt.Errorf("vectors_per_class has %d, with %d numbers in support_vectors", c, len(s.Vectors))
		}
	}
	for _, l := range []struct {
		name       string
		have, want int
	}{
		{"coefficients", len(s.Coefficients), (classes - 1) * n},
		{"rho", len(s.Rho), s.Pairs()},
		{"support_vectors", len(s.Vectors), n * s.Features},
	} {
		if l.have < l.want {
			return fmt.Errorf("%s has %d elements, %d classes and %d vectors need %d", l.name, l.have, classes, n, l.want)
		}
	}
	if len(s.ProbA) != len(s.ProbB) || len(s.ProbA) > 0 && len(s.ProbA) < s.Pairs() {
		return fmt.Errorf("prob_a has %d elements and prob_b %d, both need %d or none", len(s.ProbA), len(s.ProbB), s.Pairs())
	}
	return nil
}

// Decide writes the decision value of each pair of classes, from the kernels with
// all vectors, and counts a vote for the winner of each:
//
//	d(i,j) = sum over vectors of i and j of coefficient*kernel, plus rho
func (s *SVC) Decide(kernels, pairs []float32, votes []int) {
	n := s.Count()
	pair, startI := 0, 0
	for i := range s.PerClass {
		startJ := startI + s.PerClass[i]
		for j := i + 1; j < len(s.PerClass); j++ {
			sum := 0.0
			for m := startI; m < startI+s.PerClass[i]; m++ {
				sum += float64(s.Coefficients[(j-1)*n+m] * kernels[m])
			}
			for m := startJ; m < startJ+s.PerClass[j]; m++ {
				sum += float64(s.Coefficients[i*n+m] * kernels[m])
			}
			sum += float64(s.Rho[pair])
			pairs[pair] = float32(sum)
			if sum > 0 {
				votes[i]++
			} else {
				votes[j]++
			}
			pair++
			startJ += s.PerClass[j]
		}
		startI += s.PerClass[i]
	}
}

// Probabilities couples the pairs' probabilities 1/(1+exp(a*d+b)) (J. Platt,
// "Probabilistic Outputs for Support Vector Machines", 1999) into one for each
// class, by the second method of T.-F. Wu, C.-J. Lin and R. Weng, "Probability
// Estimates for Multi-class Classification by Pairwise Coupling", 2004.
func (s *SVC) Probabilities(pairs, out []float32) {
	k := len(s.PerClass)
	r := make([]float64, k*k)
	pair := 0
	for i := range k {
		for j := i + 1; j < k; j++ {
			p := 1 - logistic(float64(pairs[pair]*s.ProbA[pair]+s.ProbB[pair]))
			p = min(max(p, 1e-7), 1-1e-7)
			r[i*k+j], r[j*k+i] = p, 1-p
			pair++
		}
	}
	q, qp, p := make([]float64, k*k), make([]float64, k), make([]float64, k)
	for i := range k {
		p[i] = 1 / float64(k)
		for j := range k {
			if j != i {
				q[i*k+i] += r[j*k+i] * r[j*k+i]
				q[i*k+j] = -r[j*k+i] * r[i*k+j]
			}
		}
	}
	for range 100 {
		pqp := 0.0
		for i := range k {
			qp[i] = 0
			for j := range k {
				qp[i] += q[i*k+j] * p[j]
			}
			pqp += p[i] * qp[i]
		}
		worst := 0.0
		for i := range k {
			worst = max(worst, math.Abs(qp[i]-pqp))
		}
		if worst < 0.005/float64(k) {
			break
		}
		for i := range k {
			d := (pqp - qp[i]) / q[i*k+i]
			p[i] += d
			pqp = (pqp + d*(d*q[i*k+i]+2*qp[i])) / (1 + d) / (1 + d)
			for j := range k {
				qp[j] = (qp[j] + d*q[i*k+j]) / (1 + d)
				p[j] /= 1 + d
			}
		}
	}
	for i := range out {
		out[i] = float32(p[i])
	}
}
