package text

import "context"

// Weighting says what becomes of the counts of n-grams.
type Weighting uint8

// Weightings: the counts, the weights of what occurs, or the counts times the weights.
const (
	Counts Weighting = iota
	Occurrence
	Weighted
)

// Weightings are the weightings by the names the operator gives them.
var Weightings = map[string]Weighting{"TF": Counts, "IDF": Occurrence, "TFIDF": Weighted}

// Vectorizer counts n-grams of tokens.
type Vectorizer[K comparable] struct {
	// MinLength and MaxLength bound the n of the n-grams; up to MaxSkip tokens may
	// lie between two neighbours of an n-gram, always the same number.
	MinLength, MaxLength, MaxSkip int
	Weighting                     Weighting
	Places                        []int64   // of each n-gram in a row of output
	Weights                       []float32 // of each n-gram; none means 1
	Size                          int       // of a row of output

	// A trie of the pool: node 0 is the root; grams has the n-gram that ends at a
	// node, plus one.
	next  map[edge[K]]int32
	grams []int32
}

type edge[K comparable] struct {
	from  int32
	token K
}

// Learn builds the trie from a pool of n-grams: those of n tokens start at
// starts[n-1].
func (v *Vectorizer[K]) Learn(pool []K, starts []int64) {
	v.next, v.grams = map[edge[K]]int32{}, []int32{0}
	gram := int32(0)
	for i, start := range starts {
		end := int64(len(pool))
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		n := i + 1
		for at := int(start); at+n <= int(end); at += n {
			gram++
			if n < v.MinLength || n > v.MaxLength {
				continue
			}
			node := int32(0)
			for _, token := range pool[at : at+n] {
				e := edge[K]{node, token}
				to, ok := v.next[e]
				if !ok {
					to = int32(len(v.grams))
					v.grams = append(v.grams, 0)
					v.next[e] = to
				}
				node = to
			}
			v.grams[node] = gram
		}
	}
}

// Row writes one row of output for one row of tokens. counts is working memory
// of one element for each n-gram.
func (v *Vectorizer[K]) Row(ctx context.Context, out []float32, counts []int32, tokens []K) error {
	clear(out)
	clear(counts)
	for skip := range v.MaxSkip + 1 {
		if skip > 0 && (v.MaxLength == 1 || skip >= len(tokens)) {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v.count(counts, tokens, skip+1)
	}
	for i, n := range counts {
		if n == 0 {
			continue
		}
		w := float32(1)
		if len(v.Weights) > 0 && v.Weighting != Counts {
			w = v.Weights[i]
		}
		if v.Weighting != Occurrence {
			w *= float32(n)
		}
		out[v.Places[i]] += w
	}
	return nil
}

// count adds the n-grams whose tokens are distance apart; single tokens count
// only once, for distance 1.
func (v *Vectorizer[K]) count(counts []int32, tokens []K, distance int) {
	for start := range tokens {
		node := int32(0)
		for n, at := 1, start; n <= v.MaxLength && at < len(tokens); n, at = n+1, at+distance {
			to, ok := v.next[edge[K]{node, tokens[at]}]
			if !ok {
				break
			}
			node = to
			if g := v.grams[node]; g > 0 && n >= v.MinLength && (n > 1 || distance == 1) {
				counts[g-1]++
			}
		}
	}
}
