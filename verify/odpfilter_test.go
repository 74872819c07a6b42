package verify

import (
	"fmt"
	"math"
	"math/big"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
)

// bounded holds an interval next to a number of spec: as near as float64 with its cancellations can be.
func bounded(t *rapid.T, name string, got interval.Float, want, size float64) {
	t.Helper()
	if near := 1e-12 * size; !(got.Lo <= want+near && got.Hi >= want-near && got.Hi-got.Lo <= near) {
		t.Errorf("%s is in [%g, %g], but %g in spec", name, got.Lo, got.Hi, want)
	}
}

// TestPair_FairBet: what impl encloses is what spec says.
func TestPair_FairBet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lambda, eps := rapid.Float64Range(0.01, 50).Draw(t, "λ"), rapid.Float64Range(1e-4, 3).Draw(t, "ε")
		least := eps * rapid.SampledFrom([]float64{0, 0.01, 0.5, 1}).Draw(t, "least")
		at, e, low := interval.Point(lambda), interval.Point(eps), interval.Point(least)
		bounded(t, "FairBet", impl.FairBet(at, e), spec.FairBet(lambda, eps), lambda)
		bounded(t, "ResponseCharge", impl.ResponseCharge(at, e), spec.ResponseCharge(lambda, eps), 1+lambda*eps)
		mu := spec.ODPBet(lambda, least, eps)
		bounded(t, "ODPBet", impl.ODPBet(at, low, e), mu, lambda)
		if lambda*eps > 10 {
			return // float64 does not tell how near μ(e^ε − 1) is to 1
		}
		for _, x := range []float64{eps, least, (eps + least) / 2} {
			bounded(t, "BetCharge", impl.BetCharge(at, interval.Point(mu), interval.Point(x)), spec.BetCharge(lambda, mu, x), math.Exp(3*lambda*eps))
		}
		worst := spec.ResponseCharge(lambda, eps)
		if c := spec.BetCharge(lambda, spec.FairBet(lambda, eps), eps); math.Abs(c-worst) > 1e-9*(1+c)*math.Exp(2*lambda*eps) {
			t.Errorf("the fair bet is charged %g, the Rényi divergence is %g", c, worst)
		}
		if c := spec.BetCharge(lambda, mu, eps); c < worst*(1-1e-9)-1e-12 || c > 2*worst*(1+1e-9)+1e-12*math.Exp(3*lambda*eps) {
			t.Errorf("the worst part is charged %g, alone it would be %g", c, worst)
		}
	})
}

// TestLaw_BetCharge: with a bet, e^(λL − c) ≤ 1 + μ(1 − e^(−L)) for all |L| ≤ ε, with equality at an end.
func TestLaw_BetCharge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lambda, eps := rapid.Float64Range(0.1, 30).Draw(t, "λ"), rapid.Float64Range(1e-3, 1).Draw(t, "ε")
		mu := min(lambda, 0.99/math.Expm1(eps)) * rapid.Float64Range(0, 1).Draw(t, "μ")
		c := impl.BetCharge(interval.Point(lambda), interval.Point(mu), interval.Point(eps)).Hi
		most := math.Inf(-1)
		for i := -100; i <= 100; i++ {
			l := eps * float64(i) / 100
			most = max(most, lambda*l-c-math.Log1p(-mu*math.Expm1(-l)))
		}
		if most > 1e-12*(1+lambda) || most < -1e-9*(1+lambda) {
			t.Errorf("λL − c exceeds ln(1 + μ(1 − e^(−L))) by up to %g", most)
		}
	})
}

// drawGuarantees are rounds with one to three parts, for impl and for spec. Half of the time they are repeated, up to about
// 200 of them, so that there are enough for charges to be less than the sum.
func drawGuarantees(t *rapid.T, most int) (gs []impl.Guarantee, observed []int, rounds []spec.ODPRound) {
	eps := rapid.SampledFrom([]int{0, 1, 3, 10, 30, 100, 300})
	for i := range rapid.IntRange(0, most).Draw(t, "rounds") {
		g := impl.Guarantee{Delta: big.NewRat(int64(rapid.SampledFrom([]int{0, 0, 0, 0, 1, 3}).Draw(t, fmt.Sprint("delta", i))), 1_000_000)}
		r := spec.ODPRound{Delta: floatOf(g.Delta)}
		for k := range rapid.IntRange(1, 3).Draw(t, fmt.Sprint("parts", i)) {
			e := big.NewRat(int64(eps.Draw(t, fmt.Sprint("eps", i, k))), 1000)
			g.Parts = append(g.Parts, impl.Part{Name: fmt.Sprint(k), Eps: loss.Nats(e)})
			r.Parts = append(r.Parts, floatOf(e))
		}
		r.Observed = rapid.IntRange(0, len(g.Parts)-1).Draw(t, fmt.Sprint("observed", i))
		gs, observed, rounds = append(gs, g), append(observed, r.Observed), append(rounds, r)
	}
	n := len(gs)
	if n > 0 && rapid.Bool().Draw(t, "repeated") {
		for len(gs) < 200 {
			gs, observed, rounds = append(gs, gs[:n]...), append(observed, observed[:n]...), append(rounds, rounds[:n]...)
		}
	}
	return gs, observed, rounds
}

// TestPair_AdvancedODPFilter: impl admits as many rounds as spec, but where a sum is as near to its limit as float64 can tell.
func TestPair_AdvancedODPFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gs, observed, rounds := drawGuarantees(t, 60)
		target := float64(rapid.IntRange(1, 400).Draw(t, "target")) / 100
		lambda := rapid.SampledFrom([]string{"0.5", "3", "10", "40"}).Draw(t, "λ")
		got, err := impl.AdvancedODPFilter(gs, observed, loss.Nats(rat(fmt.Sprint(target))), rat("1e-5"), rat("5e-5"), rat(lambda))
		count := func(up float64) int {
			return spec.AdvancedODPFilter(rounds, target*up, 1e-5, 5e-5*up, floatOf(rat(lambda)))
		}
		if low, high := count(1-1e-10), count(1+1e-10); err != nil || got < low || got > high {
			t.Errorf("%d rounds, %v, but spec has from %d to %d", got, err, low, high)
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
	alone := n.LogOf(n.Quo(n.Add(n.Exp(times(n.Add(at, one), worst)), n.Exp(n.Neg(times(at, worst)))), n.Add(one, n.Exp(worst))))
	limit := n.Quo(shrink(n.Add(times(at, worst), n.Add(alone, alone))), n.Sub(n.Exp(worst), one))
	mu := interval.Min(fair(n.Rat(least)), limit)
	up := n.Sub(times(at, e), n.LogOf(n.Add(one, times(mu, shrink(e)))))
	down := n.Sub(n.Neg(times(at, e)), n.LogOf(n.Sub(one, times(mu, n.Sub(n.Exp(e), one)))))
	return interval.Max(up, down)
}

// TestPair_ODPReading: what a run has spent after each event is never below the reading in 200-bit arithmetic, and hardly
// above it.
func TestPair_ODPReading(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gs, observed, _ := drawGuarantees(t, 12)
		lambda := rat(rapid.SampledFrom([]string{"0.5", "3", "10", "40"}).Draw(t, "λ"))
		f, err := impl.NewODPFilter(loss.Nats(rat("1000")), rat("0.02"), rat("0.01"), lambda)
		if err != nil {
			t.Fatal(err)
		}
		n, run := bits200, impl.NewFilterRun(f)
		delta1 := new(big.Rat).Quo(rat("0.01"), rat("0.99"))
		floor := n.Add(n.Sub(n.Log(delta1), n.Int(0)), n.Sub(
			n.Mul(n.Rat(new(big.Rat).Add(lambda, rat("1"))), n.Log(new(big.Rat).Add(lambda, rat("1")))), n.Mul(n.Rat(lambda), n.Log(lambda))))
		sum, charges, known := new(big.Rat), n.Int(0), map[string]interval.Interval{}
		for i, g := range gs {
			if err := run.SpendGuarantee(g, fmt.Sprint(observed[i])); err != nil {
				t.Fatal(err)
			}
			low, high := g.Parts[0].Eps.Rat(), g.Parts[0].Eps.Rat()
			for _, p := range g.Parts {
				low, high = smaller(low, p.Eps.Rat()), larger(high, p.Eps.Rat())
			}
			e := g.Parts[observed[i]].Eps.Rat()
			sum.Add(sum, e)
			key := fmt.Sprint(low, high, e)
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

func smaller(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

func larger(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}

// TestPair_BestLambda: impl finds what spec finds among some, and the reading says what the capacity does.
func TestPair_BestLambda(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		eps, delta1 := rapid.Float64Range(0.01, 50).Draw(t, "ε"), math.Exp(-rapid.Float64Range(0.1, 60).Draw(t, "δ′"))
		got, want := impl.BestLambda(eps, delta1), spec.BestLambda(eps, delta1)
		gain := func(lambda float64) float64 { return spec.BetCapacity(lambda, eps, delta1) / (lambda * (lambda + 1)) }
		if gain(got) < gain(want)*(1-1e-9) || math.Abs(got/want-1) > 0.02 {
			t.Errorf("ε = %g, δ′ = %g: λ = %g with %g, but %g with %g", eps, delta1, got, gain(got), want, gain(want))
		}
		lambda, d := new(big.Rat).SetFloat64(got), new(big.Rat).SetFloat64(delta1)
		c := loss.OfRat(new(big.Rat).SetFloat64(eps))
		bounded(t, "BetCapacity", impl.BetCapacity(lambda, loss.Nats(new(big.Rat).SetFloat64(eps)), d).Float(), spec.BetCapacity(got, eps, delta1), 100+got*eps)
		bounded(t, "ODPReading", impl.ODPReading(lambda, d, loss.OfRat(rat("1e9")), c), spec.ODPReading(got, delta1, 1e9, eps), 100)
	})
}

// TestLaw_ODPFilterAdmits: with one part and any budget, the filter admits what the sum does with δ″, and what the filter of
// Theorem 8 does with δ′.
func TestLaw_ODPFilterAdmits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		eps, deltas, _, _ := drawRounds(t)
		target := loss.Nats(big.NewRat(int64(rapid.IntRange(1, 900).Draw(t, "target")), 100))
		delta1, delta2 := rat("1e-5"), big.NewRat(int64(rapid.IntRange(0, 40).Draw(t, "limit")), 100_000)
		var gs []impl.Guarantee
		for i, e := range eps {
			gs = append(gs, impl.Guarantee{Parts: []impl.Part{{Name: "all", Eps: e}}, Delta: deltas[i]})
		}
		got, err := impl.AdvancedODPFilter(gs, make([]int, len(gs)), target, delta1, delta2, nil)
		if err != nil {
			t.Fatal(err)
		}
		other, err := impl.AdaptiveFilter(eps, deltas, target, delta1, delta2)
		if err != nil || got < other {
			t.Errorf("%d rounds, but %d by Theorem 8: %v", got, other, err)
		}
		sum, _ := impl.NewSumFilter(target, delta2)
		memory, n := sum.Start(), 0
		for ok := true; n < len(eps); n++ {
			if memory, ok = sum.Spend(memory, impl.Mechanism{Eps: eps[n], Delta: deltas[n]}); !ok {
				break
			}
		}
		if got < n {
			t.Errorf("%d rounds, but %d by the sum", got, n)
		}
	})
}

// TestLaw_ODPFilterMonotone: with the same λ, it admits no fewer rounds if ε, δ′ or δ″ is larger, or a δ_i or the largest
// ℰ of a round smaller.
func TestLaw_ODPFilterMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gs, observed, _ := drawGuarantees(t, 40)
		target := int64(rapid.IntRange(1, 400).Draw(t, "target"))
		lambda := rat(rapid.SampledFrom([]string{"0.5", "3", "10", "40"}).Draw(t, "λ"))
		count := func(gs []impl.Guarantee, target int64, delta1, delta2 string) int {
			n, err := impl.AdvancedODPFilter(gs, observed, loss.Nats(big.NewRat(target, 100)), rat(delta1), rat(delta2), lambda)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		n := count(gs, target, "1e-5", "5e-5")
		for name, more := range map[string]int{
			"ε": count(gs, target+1, "1e-5", "5e-5"), "δ′": count(gs, target, "2e-5", "5e-5"), "δ″": count(gs, target, "1e-5", "7e-5"),
		} {
			if more < n {
				t.Errorf("%d rounds, but %d with a larger %s", n, more, name)
			}
		}
		if len(gs) == 0 {
			return
		}
		i := rapid.IntRange(0, len(gs)-1).Draw(t, "which")
		easier := append([]impl.Guarantee{}, gs...)
		easier[i].Delta = new(big.Rat)
		if m := count(easier, target, "1e-5", "5e-5"); m < n {
			t.Errorf("%d rounds, but %d with a smaller δ_i", n, m)
		}
		k, parts := observed[i], append([]impl.Part{}, gs[i].Parts...)
		if parts[k].Eps.Rat().Cmp(gs[i].Worst().Rat()) != 0 {
			return
		}
		parts[k].Eps = loss.Nats(new(big.Rat).Mul(parts[k].Eps.Rat(), rat("0.9")))
		for j := range parts {
			if j != k && parts[j].Eps.Rat().Cmp(parts[k].Eps.Rat()) > 0 {
				return // another one is the largest now, or the smallest has changed
			}
		}
		easier[i] = impl.Guarantee{Parts: parts, Delta: gs[i].Delta}
		if m := count(easier, target, "1e-5", "5e-5"); m < n {
			t.Errorf("%d rounds, but %d with a smaller largest ℰ", n, m)
		}
	})
}

// TestLaw_ODPFilterConcurrent: however many spend at once, no more is spent than one after the other.
func TestLaw_ODPFilterConcurrent(t *testing.T) {
	t.Parallel()
	f, err := impl.NewODPFilter(loss.Nats(rat("1")), rat("1e-5"), rat("5e-6"), nil)
	if err != nil {
		t.Fatal(err)
	}
	g := impl.Guarantee{Parts: []impl.Part{{Name: "few", Eps: loss.Nats(rat("0.01"))}, {Name: "many", Eps: loss.Nats(rat("0.03"))}}, Delta: rat("0")}
	alone, together := impl.NewFilterRun(f), impl.NewFilterRun(f)
	for alone.SpendGuarantee(g, "few") == nil {
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for together.SpendGuarantee(g, "few") == nil {
			}
		})
	}
	all.Wait()
	x, y := alone.Read(), together.Read()
	if x.Events != y.Events || x.Fits != y.Fits || x.Events < 100 {
		t.Errorf("one after the other %+v, together %+v", x, y)
	}
}
