package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// A theorem on composition: the δ with which mechanisms are together (ε, δ)-DP, at e^ε, or a number below it that is
// rounding apart from it.
type theorem struct {
	name  string
	delta func(t *register.T, mechanisms []spec.Mechanism, expEps *big.Rat) *big.Rat
}

// theorems are composition theorems for ε-DP mechanisms. The first two hold for δ_k > 0, too.
var theorems = []theorem{
	{"optimal composition", optimalComposition}, {"basic composition", basicComposition},
	{"Rényi DP", renyiComposition}, {"zero-concentrated DP", concentratedComposition},
	{"advanced composition", advancedComposition},
}

// optimalComposition is the theorem of Murtagh and Vadhan, as the δ of a single stop.
func optimalComposition(t *register.T, mechanisms []spec.Mechanism, expEps *big.Rat) *big.Rat {
	return optimalStopping(t, finite.Pipeline{Mechanisms: mechanisms,
		Stops: []spec.Stop{{After: len(mechanisms), ExpEps: expEps}}})
}

// basicComposition adds all ε and all δ.
func basicComposition(_ *register.T, mechanisms []spec.Mechanism, expEps *big.Rat) *big.Rat {
	total, delta := rat.One, new(big.Rat)
	for _, m := range mechanisms {
		total, delta = rat.Mul(total, m.ExpEps), rat.Add(delta, m.Delta)
	}
	if total.Cmp(expEps) > 0 {
		return rat.One
	}
	return rat.Min(rat.One, delta)
}

// renyiComposition adds Rényi divergences D_α of randomized responses, for some orders α:
// δ = e^((α−1)(ΣD_α − ε)) with e^((α−1)D_α) = (e^(αε) + e^((1−α)ε))/(1 + e^ε).
func renyiComposition(_ *register.T, mechanisms []spec.Mechanism, expEps *big.Rat) *big.Rat {
	best := rat.One
	for _, order := range []int{2, 3, 5, 9} {
		delta := rat.Power(expEps, 1-order)
		for _, m := range mechanisms {
			sum := rat.Add(rat.Power(m.ExpEps, order), rat.Power(m.ExpEps, 1-order))
			delta = rat.Mul(delta, rat.Quo(sum, rat.Add(rat.One, m.ExpEps)))
		}
		best = rat.Min(best, delta)
	}
	return best
}

// withoutLast is wrong: optimal composition of the mechanisms without the last of two or more.
func withoutLast(t *register.T, mechanisms []spec.Mechanism, expEps *big.Rat) *big.Rat {
	return optimalComposition(t, mechanisms[:max(1, len(mechanisms)-1)], expEps)
}

// theoremBits is the precision of theorems that are not rational.
const theoremBits interval.Precision = 80

// concentratedComposition adds ρ_k = ε_k²/2: δ = e^(−(ε−ρ)²/(4ρ)) for ε ≥ ρ.
func concentratedComposition(_ *register.T, mechanisms []spec.Mechanism, expEps *big.Rat) *big.Rat {
	n := theoremBits
	return gaussianTail(expEps, n.Half(squares(mechanisms)), n.Mul(n.Int(2), squares(mechanisms)))
}

// advancedComposition has δ = e^(−(ε − Σ ε_k(e^ε_k − 1))²/(2Σε_k²)).
func advancedComposition(_ *register.T, mechanisms []spec.Mechanism, expEps *big.Rat) *big.Rat {
	n, mean := theoremBits, theoremBits.Int(0)
	for _, m := range mechanisms {
		mean = n.Add(mean, n.Mul(n.Log(m.ExpEps), n.Rat(rat.Sub(m.ExpEps, rat.One))))
	}
	return gaussianTail(expEps, mean, n.Mul(n.Int(2), squares(mechanisms)))
}

// squares returns Σ ε_k².
func squares(mechanisms []spec.Mechanism) interval.Interval {
	n, sum := theoremBits, theoremBits.Int(0)
	for _, m := range mechanisms {
		eps := n.Log(m.ExpEps)
		sum = n.Add(sum, n.Mul(eps, eps))
	}
	return sum
}

// gaussianTail returns e^(−(ε − mean)²/width), rounded down, and 1 if ε may be below the mean.
func gaussianTail(expEps *big.Rat, mean, width interval.Interval) *big.Rat {
	n := theoremBits
	above := n.Sub(n.Log(expEps), mean)
	if above.Lower.Sign() <= 0 {
		return rat.One
	}
	return rat.Exact(n.Exp(n.Neg(n.Quo(n.Mul(above, above), width))).Lower)
}

// extraClaim is a variant of ODP-X25.
type extraClaim struct {
	extra       *big.Rat // this part of the extra δ is claimed to be enough
	samePoints  bool     // other stopping points are claimed to have the same extra δ
	withoutLast bool     // the last mechanism before a stop does not count
}

// anyTheorem checks that OptDel is at most the δ of all mechanisms together and the extra δ, by all theorems; and
// that the extra δ of optimal composition is not the same for other stopping points.
func anyTheorem(claim extraClaim) register.Check {
	return func(t *register.T) {
		all, most := theorems, t.Size(4, 7)
		if claim.withoutLast {
			all = []theorem{{"optimal composition without the last mechanism", withoutLast}}
		}
		t.Domain("%d and %d mechanisms with e^ε = 3/2 and 11/10 in turn, all stopping points, e^ℰ_i = 5/4, 2 and 3 in turn "+
			"or 1 + i/2; (3/2, 1/10) and (3, 0) in turn for basic and optimal composition", most-1, most)
		for k := most - 1; k <= most; k++ {
			extras := map[string]bool{}
			for _, points := range subsequences(k) {
				for _, p := range chargedAt(k, points) {
					t.Case()
					optDel := register.Must(impl.OptDel(t.Context(), p.Impl(), impl.Options{})).OptDel
					calculated(t, p, optDel)
					for i, x := range all {
						if i > 1 && p.Mechanisms[0].Delta.Sign() > 0 {
							break
						}
						extra := x.extra(t, p)
						if i == 0 && len(points) == 2 {
							extras[rat.Show(extra)] = true
						}
						bound := rat.Add(x.of(t, p, len(p.Stops)-1), rat.Mul(claim.extra, extra))
						if rat.Exact(optDel.Lower).Cmp(bound) > 0 {
							t.Refute("%v: OptDel is at least %.9g, more than %.9g by %s", p, optDel.Lower, rat.Float64(bound), x.name)
						}
						if len(points) > 1 && bound.Sign() > 0 {
							t.Close(rat.Float64(rat.Quo(rat.Exact(optDel.Lower), bound)), "%v by %s", p, x.name)
						}
					}
				}
			}
			if claim.samePoints != (len(extras) < 2) {
				t.Refute("%d mechanisms, two stops: there are %d values of the extra δ of optimal composition", k, len(extras))
			}
		}
		optimalIsPrinted(t)
	}
}

// calculated checks that no theorem gives less than OptDel by impl. What it gives is compared with its formula in
// [asFormulas].
func calculated(t *register.T, p finite.Pipeline, optDel interval.Interval) {
	for _, name := range impl.Theorems {
		_, sum, err := impl.Lemma11With(t.Context(), p.Impl(), name)
		t.Must(err)
		if sum.Upper.Cmp(optDel.Lower) < 0 {
			t.Refute("%v: OptDel is at least %.9g, more than %.9g by %s", p, optDel.Lower, sum.Upper, name)
		}
	}
}

// of returns the δ of stop i by a theorem, and extra that of the stops before the last.
func (x theorem) of(t *register.T, p finite.Pipeline, i int) *big.Rat {
	return x.delta(t, p.Mechanisms[:p.Stops[i].After], p.Stops[i].ExpEps)
}

func (x theorem) extra(t *register.T, p finite.Pipeline) *big.Rat {
	sum := new(big.Rat)
	for i := range p.Stops[:len(p.Stops)-1] {
		sum = rat.Add(sum, x.of(t, p, i))
	}
	return sum
}

// optimalIsPrinted checks, where spec can, that the δ of optimal composition are those of ODP-L11 as printed.
func optimalIsPrinted(t *register.T) {
	for _, points := range [][]int{{1}, {1, 2}, {1, 2, 3}} {
		p := chargedAt(last(points), points)[0]
		want := rat.Add(theorems[0].extra(t, p), theorems[0].of(t, p, len(points)-1))
		solved := register.Must(impl.Lemma11(t.Context(), p.Impl(), impl.Options{}))
		if printed := register.Must(spec.Lemma11(spec.Pipeline(p))); printed.Cmp(want) != 0 || !solved.Contains(want) {
			t.Refute("%v: optimal composition has %s at all stops together, ODP-L11 as printed %s, the solver [%.12g, %.12g]",
				p, rat.Show(want), rat.Show(printed), solved.Lower, solved.Upper)
		}
	}
}

// subsequences returns all stopping points of k mechanisms.
func subsequences(k int) (all [][]int) {
	for set := range 1 << (k - 1) {
		var points []int
		for i := range k - 1 {
			if set>>i&1 == 1 {
				points = append(points, i+1)
			}
		}
		all = append(all, append(points, k))
	}
	return all
}

// chargedAt returns pipelines of k mechanisms with these stopping points.
func chargedAt(k int, points []int) (all []finite.Pipeline) {
	charges := [][]*big.Rat{rat.List("5/4", "2", "3"), rat.List("3/2", "2", "5/2", "3", "7/2", "4", "9/2")}
	pairs := [][]spec.Mechanism{{finite.Pure(big.NewRat(3, 2)), finite.Pure(big.NewRat(11, 10))},
		{finite.Mechanisms[1], finite.Mechanisms[0]}}
	for _, pair := range pairs {
		for _, charge := range charges {
			var p finite.Pipeline
			for i := range k {
				p.Mechanisms = append(p.Mechanisms, pair[i%2])
			}
			for i, after := range points {
				p.Stops = append(p.Stops, spec.Stop{After: after, ExpEps: charge[i%len(charge)]})
			}
			all = append(all, p)
		}
	}
	return all
}
