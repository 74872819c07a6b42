package verify

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
)

// rounds are guarantees, of which a part was observed.
type rounds struct {
	guarantees []ledger.Guarantee
	observed   []int
}

func (r rounds) spec() (all []spec.ODPRound) {
	for i, g := range r.guarantees {
		round := spec.ODPRound{Delta: rat.Float64(g.Delta), Observed: r.observed[i]}
		for _, p := range g.Parts {
			round.Parts = append(round.Parts, rat.Float64(p.Eps.Rat()))
		}
		all = append(all, round)
	}
	return all
}

// drawGuarantees are rounds with up to so many parts. Half of the time they are repeated, up to about 200 of them, so
// that there are enough for charges to be less than the sum.
func drawGuarantees(t *rapid.T, most, mostParts int) (r rounds) {
	eps := rapid.SampledFrom([]int64{0, 1, 3, 10, 30, 100, 300})
	for i := range rapid.IntRange(0, most).Draw(t, "rounds") {
		delta := rapid.SampledFrom([]int64{0, 0, 0, 0, 1, 3}).Draw(t, fmt.Sprint("delta", i))
		g := ledger.Guarantee{Delta: big.NewRat(delta, 1_000_000)}
		for k := range rapid.IntRange(1, mostParts).Draw(t, fmt.Sprint("parts", i)) {
			e := big.NewRat(eps.Draw(t, fmt.Sprint("eps", i, k)), 1000)
			g.Parts = append(g.Parts, ledger.Part{Name: fmt.Sprint(k), Eps: loss.Nats(e)})
		}
		r.guarantees = append(r.guarantees, g)
		r.observed = append(r.observed, rapid.IntRange(0, len(g.Parts)-1).Draw(t, fmt.Sprint("observed", i)))
	}
	if n := len(r.observed); n > 0 && rapid.Bool().Draw(t, "repeated") {
		r.guarantees, r.observed = slices.Repeat(r.guarantees, (199+n)/n), slices.Repeat(r.observed, (199+n)/n)
	}
	return r
}

// admittedBy is how many rounds the filter of docs/odp-filter.md admits, one after the other: λ is nil for the best.
func (r rounds) admittedBy(t *rapid.T, eps, delta1, delta2, lambda *big.Rat) int {
	delta := rat.Add(delta2, rat.Mul(rat.Complement(delta2), delta1))
	f, err := ledger.NewODPFilter(loss.Nats(eps), delta, delta2, lambda)
	if err != nil {
		t.Fatal(err)
	}
	return r.admitted(f)
}

func (r rounds) admitted(f ledger.BudgetFilter) (n int) {
	run := ledger.NewFilterRun(f)
	for n < len(r.guarantees) && run.SpendGuarantee(r.guarantees[n], fmt.Sprint(r.observed[n])) == nil {
		n++
	}
	return n
}

// TestPair_AdvancedODPFilter: impl admits as many rounds as spec, but where a sum is as near to its limit as float64
// can tell.
func TestPair_AdvancedODPFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawGuarantees(t, 60, 3)
		target := float64(rapid.IntRange(1, 400).Draw(t, "target")) / 100
		lambda := rapid.SampledFrom([]string{"0.5", "3", "10", "40"}).Draw(t, "λ")
		got := r.admittedBy(t, rat.Of(fmt.Sprint(target)), rat.Of("1e-5"), rat.Of("5e-5"), rat.Of(lambda))
		count := func(up float64) int {
			return spec.AdvancedODPFilter(r.spec(), target*up, 1e-5, 5e-5*up, rat.Float64(rat.Of(lambda)))
		}
		if low, high := count(1-1e-10), count(1+1e-10); got < low || got > high {
			t.Errorf("%d rounds, but spec has from %d to %d", got, low, high)
		}
	})
}

// bits200 is the arithmetic of the reference.
const bits200 = interval.Precision(200)

// wideCharge is what a part is charged, by its formulas in 200 bits.
func wideCharge(lambda, least, most, eps *big.Rat) interval.Interval {
	n, one := bits200, bits200.Int(1)
	at, e := n.Rat(lambda), n.Rat(eps)
	shrink := func(x interval.Interval) interval.Interval { return n.Sub(one, n.Exp(n.Neg(x))) }
	times := func(x, y interval.Interval) interval.Interval { return n.Mul(x, y) }
	fair := func(e interval.Interval) interval.Interval {
		if e.IsZero() {
			return at
		}
		up, down := n.Exp(times(at, e)), n.Exp(n.Neg(times(at, e)))
		return n.Quo(n.Sub(up, down), n.Add(times(up, n.Sub(n.Exp(e), one)), times(down, shrink(e))))
	}
	if most.Sign() == 0 {
		return n.Int(0)
	}
	worst := n.Rat(most)
	alone := n.LogOf(n.Quo(n.Add(n.Exp(times(n.Add(at, one), worst)), n.Exp(n.Neg(times(at, worst)))),
		n.Add(one, n.Exp(worst))))
	limit := n.Quo(shrink(n.Add(times(at, worst), n.Add(alone, alone))), n.Sub(n.Exp(worst), one))
	mu := interval.Min(fair(n.Rat(least)), limit)
	up := n.Sub(times(at, e), n.LogOf(n.Add(one, times(mu, shrink(e)))))
	down := n.Sub(n.Neg(times(at, e)), n.LogOf(n.Sub(one, times(mu, n.Sub(n.Exp(e), one)))))
	return interval.Max(up, down)
}

// TestPair_ODPReading: what a run has spent after each event is never below the reading in 200-bit arithmetic, and
// hardly above it.
func TestPair_ODPReading(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawGuarantees(t, 12, 3)
		lambda := rat.Of(rapid.SampledFrom([]string{"0.5", "3", "10", "40"}).Draw(t, "λ"))
		f, err := ledger.NewODPFilter(nats("1000"), rat.Of("0.02"), rat.Of("0.01"), lambda)
		if err != nil {
			t.Fatal(err)
		}
		n, run, more := bits200, ledger.NewFilterRun(f), rat.Add(lambda, rat.One)
		floor := n.Add(n.Log(rat.Of("1/99")), n.Sub(n.Mul(n.Rat(more), n.Log(more)), n.Mul(n.Rat(lambda),
			n.Log(lambda)))) // δ′ = 0.01/0.99
		sum, charges, known := new(big.Rat), n.Int(0), map[string]interval.Interval{}
		for i, g := range r.guarantees {
			if err := run.SpendGuarantee(g, fmt.Sprint(r.observed[i])); err != nil {
				t.Fatal(err)
			}
			var all []*big.Rat
			for _, p := range g.Parts {
				all = append(all, p.Eps.Rat())
			}
			low, high, e := rat.Min(all...), rat.Max(all...), all[r.observed[i]]
			sum.Add(sum, e)
			key := rat.Show(low, high, e)
			if _, met := known[key]; !met {
				known[key] = wideCharge(lambda, low, high, e)
			}
			charges = n.Add(charges, known[key])
			want := interval.Min(n.Rat(sum), n.Max0(n.Quo(n.Sub(charges, floor), n.Rat(lambda)))).Float()
			if got := run.Read().Spent.Eps.Bounds(64).Float(); got.Hi < want.Lo || got.Hi > want.Hi*(1+1e-11)+1e-11 {
				t.Errorf("round %d: spent %g, in 200 bits %g", i+1, got.Hi, want.Hi)
			}
		}
	})
}

// TestLaw_FiltersAdmit: with one part, the filter of docs/odp-filter.md admits what the sum does with δ″, and what the
// filter of Theorem 8 does with δ′; and no fewer rounds with more of ε, of δ′ or of δ″.
func TestLaw_FiltersAdmit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawGuarantees(t, 40, 1)
		lambda := rat.Of(rapid.SampledFrom([]string{"0.5", "3", "10", "40"}).Draw(t, "λ"))
		eps, delta1 := big.NewRat(int64(rapid.IntRange(1, 900).Draw(t, "target")), 100), rat.Of("1e-5")
		delta2 := big.NewRat(int64(rapid.IntRange(0, 40).Draw(t, "limit")), 100_000)
		var all []loss.Epsilon
		var deltas []*big.Rat
		for _, g := range r.guarantees {
			all, deltas = append(all, g.Worst()), append(deltas, g.Delta)
		}
		admits := func(eps, delta1, delta2, lambda *big.Rat) int {
			return r.admittedBy(t, eps, delta1, delta2, lambda)
		}
		n, up, best := admits(eps, delta1, delta2, lambda), rat.Of("1.3"), admits(eps, delta1, delta2, nil)
		sum, err0 := ledger.NewSumFilter(loss.Nats(eps), delta2)
		theorem8, err1 := ledger.AdaptiveFilter(all, deltas, loss.Nats(eps), delta1, delta2)
		more := min(admits(rat.Mul(up, eps), delta1, delta2, lambda), admits(eps, rat.Mul(up, delta1), delta2, lambda),
			admits(eps, delta1, rat.Mul(up, delta2), lambda))
		if err0 != nil || err1 != nil {
			t.Fatal(err0, err1)
		}
		if bySum := r.admitted(sum); best < max(bySum, theorem8) || more < n {
			t.Errorf("%d rounds, by the sum %d, by Theorem 8 %d; with λ = %v %d, with more %d", best, bySum,
				theorem8, lambda, n, more)
		}
	})
}
