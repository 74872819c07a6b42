package builtin

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/verify/audit"
)

// privateIQR has no room: spec's program takes exponential time.
func privateIQR() Mechanism {
	return Mechanism{
		Name: "private-iqr", Title: "private interquartile range, each test with ε/3", Source: "ODP-X16, ODP-L10",
		Claims:   []string{"odp", "dp"},
		Defaults: Params{Eps: one, Delta: big.NewRat(1, 1000)},
		make:     privateIQRCase,
	}
}

// privateIQRCase is (3ε_1, δ)-DP, and ℰ(⊥) = 2ε_1. It has two pairs of inputs. In the first
// one the range is far from changing, a record nearer in one input, so that both tests
// say ⊥ with e^ε_1 times the probability. In the second it changes from 1 to 0, and is
// released with a probability near δ.
func privateIQRCase(p Params) (*Case, error) {
	if p.Delta.Sign() == 0 {
		return nil, fmt.Errorf("delta is 0, must be more than 0: it is the test's")
	}
	eps := quo(p.Eps, whole(3))
	claim, parts := p.dp(), [2]string{}
	if p.Claim == "odp" {
		parts = [2]string{"number", "bottom"}
		claim.Parts = []audit.Part{{Name: parts[0], Eps: impl.Nats(p.Eps)}, {Name: parts[1], Eps: impl.Nats(mul(whole(2), eps))}}
	}
	// among 4·far + 1 records the quartiles are numbers far + 1 and 3·far + 1
	far := 4 + int(math.Log(1/float(p.Delta))/float(eps))
	if 4*far+1 > 1<<20 {
		return nil, fmt.Errorf("delta is %s, which takes more than 2^20 records with eps %s", shown(p.Delta), shown(p.Eps))
	}
	neighbours := [][2]int{{2 * far, 2*far - 1}, {far + 1, far}} // numbers of records that are 0
	records := func(zeros int) []*big.Rat { return zerosAndOnes(zeros, 4*far+1) }
	name := func(zeros int) string { return fmt.Sprintf("%d × 0, %d × 1", zeros, 4*far+1-zeros) }
	var c Case
	c.Claim = claim
	for _, n := range neighbours {
		var runs [2]impl.PrivateIQRRuns
		for b, zeros := range n {
			var err error
			if runs[b], err = impl.NewPrivateIQRRuns(records(zeros), impl.Nats(eps), p.Delta); err != nil {
				return nil, err
			}
		}
		c.Pairs = append(c.Pairs, audit.Pair{
			Inputs:   [2]string{name(n[0]), name(n[1])},
			Samplers: [2]audit.Sampler{iqrProgram(runs[0], parts), iqrProgram(runs[1], parts)},
		})
	}
	c.Laws = func(context.Context) ([]audit.Law, error) {
		var laws []audit.Law
		for _, n := range neighbours {
			var both [2]impl.IQRLaw
			for b, zeros := range n {
				var err error
				if both[b], err = impl.LawOfPrivateIQR(records(zeros), impl.Nats(eps), p.Delta); err != nil {
					return nil, err
				}
			}
			laws = append(laws, iqrLaw([2]string{name(n[0]), name(n[1])}, both, len(claim.Parts)-1))
		}
		return laws, nil
	}
	return &c, nil
}

func zerosAndOnes(zeros, n int) []*big.Rat {
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = whole(boolInt(i >= zeros))
	}
	return x
}

func iqrProgram(runs impl.PrivateIQRRuns, parts [2]string) program {
	return func(n int, noise impl.RandomNoise, s *audit.Sample) error {
		number, bottom := s.Group(parts[0], "#", 1), s.Group(parts[1], `"⊥"`, 0)
		for range n {
			if value, ok := runs.Draw(noise); ok {
				number.Count++
				number.Numbers = append(number.Numbers, value)
			} else {
				bottom.Count++
			}
		}
		return nil
	}
}

// iqrLaw is for ranges of 0 or 1: 0 is released as 0, and 1 as a positive number, always
// with the same law.
func iqrLaw(inputs [2]string, both [2]impl.IQRLaw, bottom int) audit.Law {
	zero, positive := audit.Cell{Name: "# = 0"}, audit.Cell{Name: "# > 0"}
	refused := audit.Cell{Name: `"⊥"`, Part: bottom}
	for b, l := range both {
		refused.P[b], zero.P[b], positive.P[b] = l.Bottom, exactly(new(big.Rat)), exactly(new(big.Rat))
		if l.IQR.Sign() == 0 {
			zero.P[b] = l.Answer
		} else {
			positive.P[b] = l.Answer
		}
	}
	return audit.Law{Inputs: inputs, Cells: []audit.Cell{refused, zero, positive}, Complete: true}
}
