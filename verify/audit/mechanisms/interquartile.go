package mechanisms

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// privateIQR has one implementation: spec's program takes exponential time.
func privateIQR() Mechanism {
	return Mechanism{
		Name: "private-iqr", Title: "private interquartile range, each test with ε/3", Source: "ODP-X16, ODP-L10",
		Claims:   []string{"odp", "dp"},
		defaults: Params{Eps: one, Delta: big.NewRat(1, 1000)},
		make:     privateIQRCase,
	}
}

// iqrTest is M_IQR on databases of zeros and ones.
type iqrTest struct {
	eps   loss.Epsilon // of one test
	delta *big.Rat
	far   int // among 4·far + 1 records the quartiles are numbers far + 1 and 3·far + 1
}

// leastTestDelta is the smallest δ of the tests of [impl.PrivateIQR].
var leastTestDelta = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(300), nil))

// privateIQRCase is (3ε_1, δ)-DP, and ℰ(⊥) = 2ε_1. It has two pairs of inputs. In the first
// one the range is far from changing, a record nearer in one input, so that both tests
// say ⊥ with e^ε_1 times the probability. In the second it changes from 1 to 0, and is
// released with a probability near δ.
func privateIQRCase(p Params) (*Case, error) {
	switch {
	case p.Delta.Sign() == 0:
		return nil, fmt.Errorf("delta is 0, must be more than 0: it is the test's")
	case p.Delta.Cmp(leastTestDelta) < 0:
		return nil, fmt.Errorf("delta is %s, must be at least 1e-300: it is the test's", shown(p.Delta))
	}
	eps := quo(p.Eps, whole(3))
	claim, parts := p.numberOrBottom(loss.Nats(p.Eps), loss.Nats(mul(whole(2), eps)))
	q := iqrTest{loss.Nats(eps), p.Delta, 4 + int(math.Log(1/float(p.Delta))/float(eps))}
	if q.size() > 1<<20 {
		return nil, fmt.Errorf("delta is %s, which takes more than 2^20 records with eps %s",
			shown(p.Delta), shown(p.Eps))
	}
	with := func(zeros int) zeroOne { return zeroOne{zeros, q.size() - zeros} }
	run := func(x zeroOne) program { return q.program(x, parts) }
	law := func(n [2]zeroOne) (audit.Law, error) { return q.law(n, len(claim.Parts)-1) }
	return caseOf(claim, run, law, [2]zeroOne{with(2 * q.far), with(2*q.far - 1)},
		[2]zeroOne{with(q.far + 1), with(q.far)}), nil
}

func (q iqrTest) size() int { return 4*q.far + 1 }

// zeroOne is how many zeros and ones a database has.
type zeroOne struct{ zeros, ones int }

func (x zeroOne) String() string { return fmt.Sprintf("%d × 0, %d × 1", x.zeros, x.ones) }

func (x zeroOne) records() []*big.Rat {
	return append(slices.Repeat([]*big.Rat{new(big.Rat)}, x.zeros), slices.Repeat([]*big.Rat{one}, x.ones)...)
}

func (q iqrTest) program(x zeroOne, parts [2]string) program {
	runs, failed := impl.NewPrivateIQRRuns(x.records(), q.eps, q.delta)
	return func(n int, random noise.Random, s *audit.Sample) error {
		if failed != nil {
			return failed
		}
		return numbersOrBottom(n, parts, s, func() (float64, bool, error) {
			x, ok := runs.Draw(random)
			return x, ok, nil
		})
	}
}

// law is for ranges of 0 or 1: 0 is released as 0, and 1 as a positive number, always with
// the same law.
func (q iqrTest) law(n [2]zeroOne, bottom int) (audit.Law, error) {
	zero, positive := audit.Cell{Name: "# = 0"}, audit.Cell{Name: "# > 0"}
	refused := audit.Cell{Name: `"⊥"`, Part: bottom}
	for b, x := range n {
		l, err := impl.LawOfPrivateIQR(x.records(), q.eps, q.delta)
		if err != nil {
			return audit.Law{}, err
		}
		refused.P[b], zero.P[b], positive.P[b] = l.Bottom, lawBits.Int(0), lawBits.Int(0)
		if l.IQR.Sign() == 0 {
			zero.P[b] = l.Answer
		} else {
			positive.P[b] = l.Answer
		}
	}
	return audit.Law{Cells: []audit.Cell{refused, zero, positive}, Complete: true}, nil
}
