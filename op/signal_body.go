package op

import "fmt"

// cosineWindow is the body of the window a0 - a1 cos(t) + a2 cos(2t), where t goes
// round once in size steps, or in one less when the window is symmetric.
func cosineWindow(a0, a1, a2 float64) func(*Context) (Body, error) {
	return func(c *Context) (Body, error) {
		steps := "n"
		if !c.Bool("periodic") {
			steps = "Sub (n, 1:n)"
		}
		return Body{21, fmt.Sprintf(`
			n = Cast <to = 11> (Reshape (size, []))
			t = Mul (Range (0:n, n, 1:n), Div (6.283185307179586:n, %s))
			window = Add (Sub (%g:n, Mul (%g:n, Cos (t))), Mul (%g:n, Cos (Mul (t, 2:n))))
			output = Cast <to = @output_datatype> (window)`, steps, a0, a1, a2)}, nil
	}
}

var (
	hannBody     = cosineWindow(0.5, 0.5, 0)
	hammingBody  = cosineWindow(25./46, 21./46, 0)
	blackmanBody = cosineWindow(0.42, 0.5, 0.08)
)
