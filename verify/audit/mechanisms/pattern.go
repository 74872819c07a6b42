package mechanisms

import (
	"math/bits"
	"strconv"

	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// pattern is a list of outputs, of at most 63: the bits after the first 1, where 1 is ⊤.
type pattern uint64

// noOutputs is the empty list.
const noOutputs pattern = 1

func (p pattern) and(above bool) pattern {
	if above {
		return p<<1 | 1
	}
	return p << 1
}

func (p pattern) length() int { return bits.Len64(uint64(p)) - 1 }

// above returns the number of ⊤.
func (p pattern) above() int { return bits.OnesCount64(uint64(p)) - 1 }

// list returns the outputs.
func (p pattern) list() []bool {
	var a []bool
	for i := p.length() - 1; i >= 0; i-- {
		a = append(a, p>>i&1 == 1)
	}
	return a
}

// The outputs that are no numbers.
var above, bottomOutput = audit.Text("⊤"), audit.Text("⊥")

// shape is the outputs as a list, with something in place of every ⊤.
func (p pattern) shape(top *audit.Shape) *audit.Shape {
	var outputs []*audit.Shape
	for _, isAbove := range p.list() {
		if isAbove {
			outputs = append(outputs, top)
		} else {
			outputs = append(outputs, bottomOutput)
		}
	}
	return audit.List(outputs...)
}

// outcomes returns all lists of outputs to so many queries, with a cutoff unless it is 0;
// or nil if there are more than a limit.
func outcomes(queries, cutoff, limit int) []pattern {
	ends, open := []pattern(nil), []pattern{noOutputs}
	for range queries {
		var longer []pattern
		for _, p := range open {
			for _, above := range []bool{false, true} {
				q := p.and(above)
				if cutoff > 0 && q.above() == cutoff {
					ends = append(ends, q)
				} else {
					longer = append(longer, q)
				}
			}
		}
		if open = longer; len(open)+len(ends) > limit {
			return nil
		}
	}
	return append(ends, open...)
}

// listRun draws a list, with a number for each ⊤ appended to those given if it has numbers.
type listRun func(random noise.Source, numbers []float64) (pattern, []float64, error)

// listProgram draws lists of ⊥ and something in place of every ⊤. If there is an output partition, the part is the
// number of ⊤.
func listProgram(top *audit.Shape, parts bool, run listRun) program {
	return func(n int, random noise.Random, s *audit.Sample) error {
		groups := map[pattern]*audit.Group{}
		var numbers []float64
		for range n {
			p, values, err := run(random, numbers[:0])
			if err != nil {
				return err
			}
			if groups[p] == nil {
				part := ""
				if parts {
					part = strconv.Itoa(p.above())
				}
				groups[p] = s.Group(part, p.shape(top))
			}
			groups[p].Add(values...)
			numbers = values
		}
		return nil
	}
}
