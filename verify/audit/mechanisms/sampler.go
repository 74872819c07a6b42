package mechanisms

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"

	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// program draws n outputs and adds them to a sample.
type program func(n int, random noise.Random, s *audit.Sample) error

// chunk is how many outputs are drawn until the context is looked at.
const chunk = 1 << 12

// Sample implements [audit.Sampler].
func (p program) Sample(ctx context.Context, n int, seed [32]byte, s *audit.Sample) error {
	random := noise.New(seed)
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := min(n, chunk)
		if err := p(some, random, s); err != nil {
			return err
		}
		n -= some
	}
	return nil
}

// text writes a value as JSON.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return string(b)
}

// grid is the grid to which real outputs are rounded: 2^-20. The low bits of a float64 tell
// more than the real number would (Mironov 2012); rounding comes after the noise, so that
// what holds for the real number holds for what is released.
const grid = 0x1p-20

// round rounds to the grid. Adding and subtracting 1.5·2^52·grid does it for numbers below
// 2^31, by the rounding of the sum; larger ones have few bits below the grid anyway, and
// get a coarser one.
func round(x float64) float64 {
	const shift = 3 * 0x1p51 * grid
	if x > -0x1p30 && x < 0x1p30 {
		return x + shift - shift
	}
	return x
}

// table is a law of finitely many outputs, to draw from: output i+1 or a later one is drawn if the random number is at
// least number i.
type table []uint64

// output is what is drawn.
type output struct {
	shape   *audit.Shape
	numbers []float64
}

// outputOf is the output that is named by its JSON.
func outputOf(name string) (o output) {
	var value any
	err := json.Unmarshal([]byte(name), &value)
	if err == nil {
		o.shape, o.numbers, err = audit.ShapeOf(value)
	}
	if err != nil {
		panic(fmt.Sprintf("internal error: output %s: %v", name, err))
	}
	return o
}

// draw returns how many thresholds u reaches. The last bit of u is not used, so that it never is the largest number.
func (t table) draw(u uint64) int {
	return sort.Search(len(t), func(i int) bool { return u&^1 < t[i] })
}

// newTable returns the table of a law. Probabilities that float64 can hold are far finer
// than what a sample shows. An output of probability 0 is never drawn: its threshold is that
// of the next one, or the largest number.
func newTable(probabilities []float64) (t table) {
	last := len(probabilities) - 1
	for last > 0 && probabilities[last] == 0 {
		last--
	}
	sum := 0.0
	for i := range probabilities[1:] {
		sum += probabilities[i]
		above := uint64(min(sum, 1-0x1p-53) * 0x1p64)
		if i >= last {
			above = math.MaxUint64
		}
		t = append(t, above)
	}
	return t
}

// uppers returns the upper ends of probabilities, to draw with.
func uppers(p []interval.Interval) []float64 {
	ends := make([]float64, len(p))
	for i, x := range p {
		ends[i], _ = x.Upper.Float64()
	}
	return ends
}

// tableProgram draws outputs, which are named by their JSON, by a law.
func tableProgram(names []string, probabilities []float64) program {
	t := newTable(probabilities)
	return choiceProgram(names, func(random noise.Random) (int, error) { return t.draw(random.Uint64()), nil })
}

// choiceProgram runs what names one of these outputs.
func choiceProgram(names []string, choose func(random noise.Random) (int, error)) program {
	outputs := make([]output, len(names))
	for i, name := range names {
		outputs[i] = outputOf(name)
	}
	return func(n int, random noise.Random, s *audit.Sample) error {
		times := make([]int, len(names))
		for range n {
			i, err := choose(random)
			if err != nil {
				return err
			}
			times[i]++
		}
		for i, o := range outputs {
			if k := times[i]; k > 0 {
				g := s.Group("", o.shape)
				g.Count, g.Numbers = g.Count+k, append(g.Numbers, slices.Repeat(o.numbers, k)...)
			}
		}
		return nil
	}
}

// numbersOrBottom adds n outputs that are numbers, or ⊥.
func numbersOrBottom(n int, parts [2]string, s *audit.Sample, draw func() (x float64, ok bool, err error)) error {
	numbers := make([]float64, 0, n)
	for range n {
		x, ok, err := draw()
		if err != nil {
			return err
		}
		if ok {
			numbers = append(numbers, x)
		}
	}
	if len(numbers) > 0 {
		g := s.Group(parts[0], audit.Number)
		g.Count += len(numbers)
		g.Numbers = append(g.Numbers, numbers...)
	}
	if len(numbers) < n {
		s.Group(parts[1], bottomOutput).Count += n - len(numbers)
	}
	return nil
}
