package impl

import "checkrr/impl/internal/stopping"

// Method names the way in which a pipeline is solved.
type Method = stopping.Method

// The methods of [OptDel].
const (
	Auto    = stopping.Auto    // the cheapest that reaches the width
	Lattice = stopping.Lattice // every reachable loss is a state: no error but rounding
	Bracket = stopping.Bracket // losses rounded to a grid, from above and from below
)

// DefaultRelWidth is the relative width of an interval if none is requested. Where losses can only be rounded to a
// grid, as with hundreds of unrelated ε, it is what takes about a second, if that is more: [Result].RelWidth.
const DefaultRelWidth = stopping.DefaultRelWidth

// WidthOfNoise is the default where there are mechanisms with noise, or Losses.
const WidthOfNoise = stopping.WidthOfNoise

// Options says how to solve a pipeline. The zero value of a field means its default.
type Options struct {
	Method   Method             // default Auto
	RelWidth float64            // requested (Upper − Lower)/Upper; see DefaultRelWidth
	Progress func(done float64) // called now and then with the fraction done, in [0, 1]

	enough *stopping.Enough // if there, upper ends that need not be less
}

// kernel returns o for the kernel.
func (o Options) kernel() stopping.Options {
	return stopping.Options{Method: o.Method, RelWidth: o.RelWidth, Progress: o.Progress, Enough: o.enough}
}
