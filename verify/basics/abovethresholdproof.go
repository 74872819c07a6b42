package basics

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// aboveThresholdProofs are the steps of the proofs of Theorems 3.23 and 3.24.
func aboveThresholdProofs() register.Checks {
	return register.Checks{
		"AFD-T3.23.s1": checked(with(inInterval, false), near("T̂ ∈ [g(D), f_k(D) + ν_k]", with(inInterval, true))),
		"AFD-T3.23.s2": checked(shifted("2", "1"), near("|v̂ − v| ≤ 19/10", shifted("19/10", "1")),
			near("|t̂ − t| ≤ 19/20", shifted("2", "19/20"))),
		"AFD-T3.23.s3": checked(with(movedInto, true),
			near("with v̂ = v + g(D) − g(D')", with(movedInto, false))),
		"AFD-T3.23.s4": checked(densitiesGrow("2"), near("for |v̂ − v| ≤ 21/10", densitiesGrow("21/10"))),
		"AFD-T3.24.s1": checked(with(smallNoise, rat.One),
			near("it is enough that the sum is at most 21/20·α", with(smallNoise, rat.Of("21/20")))),
		"AFD-T3.24.s2": checked(aboveChain("1"), near("f_i(D) ≥ T − 19/20·|T − T̂| − |ν_i|", aboveChain("19/20"))),
		"AFD-T3.24.s3": checked(belowChain("0", "1"),
			near("f_i(D) + ν_i < T̂, so f_i(D) < T + 19/20·|T − T̂| + |ν_i|", belowChain("1", "19/20")),
			corrected("f_i(D) + ν_i < T̂, so f_i(D) < T̂ − ν_i ≤ T + |T − T̂| + |ν_i| ≤ T + α", belowChain("1", "1"))),
		"AFD-T3.24.s4": checked(noHalt("1", true),
			near("for |ν_i| + |T − T̂| ≤ 21/20·α", noHalt("21/20", false)),
			corrected("f_i(D) < T − α ≤ T − |ν_i| − |T − T̂|, so f_i(D) + ν_i < T̂", noHalt("1", false))),
		"AFD-T3.24.s5": checked(tailsOfBoth("1", "1"), near("for 19/20 of the first α", tailsOfBoth("19/20", "1")),
			near("for 19/20 of the second α", tailsOfBoth("1", "19/20"))),
	}
}

// aRun is a list of answers on D and on D′, the noise of all but the last, that of the last and that of the threshold
// 0, for ε = 1.
type aRun struct {
	here, there []*big.Rat
	noise       []*big.Rat
	v, t        *big.Rat
}

// eachRun goes through short ones.
func eachRun(t *register.T, visit func(x aRun)) {
	t.Domain("ε = 1, T = 0; up to 2 queries with answers in {−1, 0, 2} that change by −1, 0 or 1, " +
		"ν_1 in {−2, 1}, ν_k in {−3, −1, 0, 2}, T̂ in {−2, −1, 0, 1, 2}")
	for l := 1; l <= 2; l++ {
		for noise := range finite.Tuples([]int{-2, 1}, l-1) {
			eachChange(finite.Tuples([]int{-1, 0, 2}, l), []int{-1, 0, 1}, func(here, there []int) {
				finite.Each2([]int{-3, -1, 0, 2}, []int{-2, -1, 0, 1, 2}, func(v, threshold int) {
					t.At("f(D) = %v, f(D') = %v, ν_1 = %v, ν_k = %d, T̂ = %d", here, there, noise, v, threshold)
					visit(aRun{rats(here...), rats(there...), rats(noise...), rat.Int(v), rat.Int(threshold)})
				})
			})
		}
	}
}

// largest returns g, for some answers: nil for −∞, if there is one query only.
func (x aRun) largest(answers []*big.Rat) (g *big.Rat) {
	for i, nu := range x.noise {
		if sum := rat.Add(answers[i], nu); g == nil || sum.Cmp(g) > 0 {
			g = sum
		}
	}
	return g
}

// last returns one of a list.
func last[X any](xs []X) X { return xs[len(xs)-1] }

// isBetween reports whether low < x ≤ high; nil is −∞.
func isBetween(low, x, high *big.Rat) bool { return (low == nil || low.Cmp(x) < 0) && x.Cmp(high) <= 0 }

// inInterval checks that the outputs are ⊥, …, ⊥, ⊤ just where T̂ ∈ (g(D), f_k(D) + ν_k], by both rooms.
func inInterval(t *register.T, isClosed bool) {
	eachRun(t, func(x aRun) {
		s := sparseCase{eps: 1}
		draws := []float64{rat.Float64(x.t) / 2} // for scale 2, and 4 for the others
		for i, f := range x.here {
			s.answers = append(s.answers, rat.Float64(f))
			draws = append(draws, rat.Float64(append(x.noise, x.v)[i])/4)
		}
		out := aboveThreshold(t, s, tapes(draws))
		g, high := x.largest(x.here), rat.Add(last(x.here), x.v)
		claimed := isBetween(g, x.t, high) || isClosed && g != nil && rat.Equal(g, x.t) && x.t.Cmp(high) <= 0
		for _, outputs := range [][]string{out.literal, out.fast} {
			isIt := len(outputs) == len(x.here) && last(outputs) == "⊤"
			t.Require(isIt == claimed, "the outputs are %v, T̂ is in the interval: %t", outputs, claimed)
		}
	})
}

// change returns g(D) − g(D′), 0 if there is no query before the last.
func (x aRun) change() *big.Rat {
	if len(x.noise) == 0 {
		return new(big.Rat)
	}
	return rat.Sub(x.largest(x.here), x.largest(x.there))
}

// moved returns v̂, with f_k or without, and t̂.
func (x aRun) moved(withLast bool) (v, t *big.Rat) {
	v, t = rat.Add(x.v, x.change()), rat.Add(x.t, x.change())
	if withLast {
		v = rat.Add(v, rat.Sub(last(x.there), last(x.here)))
	}
	return v, t
}

// shifted checks how far v̂ is from v, and t̂ from t.
func shifted(most, mostOfT string) register.Check {
	return func(t *register.T) {
		eachRun(t, func(x aRun) {
			v, threshold := x.moved(true)
			far, bound := new(big.Rat).Abs(rat.Sub(v, x.v)), rat.Of(most)
			t.AtMost(far, bound, "|v̂ − v| is %s, claimed at most %s", far, bound)
			far, bound = new(big.Rat).Abs(rat.Sub(threshold, x.t)), rat.Of(mostOfT)
			t.AtMost(far, bound, "|t̂ − t| is %s, claimed at most %s", far, bound)
		})
	}
}

// movedInto checks that t̂ is in the interval of D, with v̂, just where t is in that of D′.
func movedInto(t *register.T, withLast bool) {
	eachRun(t, func(x aRun) {
		v, threshold := x.moved(withLast)
		here := isBetween(x.largest(x.here), threshold, rat.Add(last(x.here), v))
		there := isBetween(x.largest(x.there), x.t, rat.Add(last(x.there), x.v))
		t.Require(here == there, "t̂ is in the interval of D: %t, t in that of D': %t", here, there)
	})
}

// densitiesGrow checks what the two densities grow by: e^(ε/2) each, for |v̂ − v| up to most and |t̂ − t| ≤ 1, with the
// scales that spec asks for.
var densitiesGrow = on("ε in {1/2, 3}, v/ε and t/ε in {−3, 0, 1/2}, moves in parts of the largest, "+
	"a and b in {−1, −1/2, 0, 1}",
	func(t *register.T, most string, eps, v, threshold, a, b *big.Rat) {
		law := noiseOf(eps)
		gain := func(place, move, scale *big.Rat) *big.Rat { // ln of the ratio of densities
			return rat.Quo(rat.Sub(new(big.Rat).Abs(place), new(big.Rat).Abs(rat.Add(place, move))), scale)
		}
		bound := rat.Mul(rat.Half, eps)
		for i, g := range []*big.Rat{gain(rat.Mul(eps, v), rat.Mul(a, rat.Of(most)), law.NuScale),
			gain(rat.Mul(eps, threshold), b, law.RhoScale)} {
			t.In("density %d", i+1)
			t.Require(rat.Float64(g) <= rat.Float64(bound)*(1+1e-12), "its logarithm is larger by %.9g, claimed %s",
				rat.Float64(g), bound)
		}
	})

// smallNoise checks that outputs are accurate where the largest |ν_i| and |T − T̂| together are at most a multiple of
// α, and no f_i(D) but the last is at least T − α: no halt before the last, and Definition 3.9.
func smallNoise(t *register.T, more *big.Rat) {
	t.Domain("ε = 1, T = 0, α = 2: up to 2 queries with answers in {−21/10, −2, −19/10, 0, 19/10, 2, 21/10}, " +
		"ν_1, …, ν_k and T̂ in {−21/20, −1, 0, 1, 21/20}")
	levels := rat.List("0", "19/10", "2", "21/10", "-19/10", "-2", "-21/10")
	noise := rat.List("0", "1", "-1", "21/20", "-21/20")
	for l := 1; l <= 2; l++ {
		for f := range finite.Tuples(levels, l) {
			if l == 2 && f[0].Cmp(rat.Int(-2)) >= 0 {
				continue
			}
			for nu := range finite.Tuples(noise, l+1) { // the first is T̂
				t.At("f(D) = (%s), T̂ = %s, ν = (%s)", rat.Show(f...), nu[0], rat.Show(nu[1:]...))
				if rat.Add(absOf(nu[0]), rat.Max(absOf(nu[1]), absOf(nu[l]))).Cmp(rat.Twice(more)) > 0 {
					continue
				}
				s, draws := sparseCase{eps: 1}, []float64{rat.Float64(nu[0]) / 2}
				for i := range f {
					s.answers, draws = append(s.answers, rat.Float64(f[i])), append(draws, rat.Float64(nu[i+1])/4)
				}
				out := aboveThreshold(t, s, tapes(draws))
				for _, outputs := range [][]string{out.literal, out.fast} {
					t.Require(len(outputs) == l, "it halts after %d queries", len(outputs))
					for i, o := range outputs {
						t.Require(o == "⊤" && s.answers[i] >= -2 || o == "⊥" && s.answers[i] <= 2,
							"%s to the answer %s", o, f[i])
					}
				}
			}
		}
	}
}

func absOf(x *big.Rat) *big.Rat { return new(big.Rat).Abs(x) }

// anAnswer is where one is compared, with T = 0.
const anAnswer = "T = 0; f_i(D) in {−2, −3/2, −1, 0, 1, 3/2, 39/20, 2}, ν_i and T̂ in {0, 1, −1, 2, −2}, α in {1, 2, 3}"

// aboveChain checks for ⊤ that f_i(D) ≥ T − share·|T − T̂| − |ν_i| ≥ T − α, where |ν_i| + |T − T̂| ≤ α.
func aboveChain(share string) register.Check {
	return finite.Over(anAnswer, func(t *register.T, f, nu, threshold, alpha *big.Rat) {
		sum := rat.Add(absOf(nu), absOf(threshold))
		if rat.Add(f, nu).Cmp(threshold) < 0 || sum.Cmp(alpha) > 0 {
			return
		}
		low := minus(rat.Add(rat.Mul(rat.Of(share), absOf(threshold)), absOf(nu)))
		t.AtMost(low, f, "f_i(D) is below %s", low)
		t.AtMost(minus(alpha), minus(sum), "%s is below T − α", minus(sum))
	})()
}

// belowChain checks for ⊥ that f_i(D) less a part of ν_i is below T̂ and, so, below T + share·|T − T̂| + |ν_i|.
func belowChain(part, share string) register.Check {
	return finite.Over(anAnswer, func(t *register.T, f, nu, threshold, alpha *big.Rat) {
		if rat.Add(f, nu).Cmp(threshold) >= 0 || rat.Add(absOf(nu), absOf(threshold)).Cmp(alpha) > 0 {
			return
		}
		left := rat.Add(f, rat.Mul(rat.Of(part), nu))
		t.Require(left.Cmp(threshold) < 0, "the output is ⊥, and %s is not below T̂", left)
		high := rat.Add(rat.Mul(rat.Of(share), absOf(threshold)), absOf(nu))
		t.Require(f.Cmp(high) < 0 && high.Cmp(alpha) <= 0, "f_i(D) is not below %s", high)
	})()
}

// noHalt checks that f_i(D) < T − α is below T − |ν_i| − |T − T̂|, or T − α below that as printed, and then ⊥.
func noHalt(more string, isStrict bool) register.Check {
	return finite.Over("T = 0; f_i(D) in {−11/5, −41/20, −2}, ν_i and T̂ in {0, 1, −1, 21/20, −21/20}, α = 2",
		func(t *register.T, f, nu, threshold *big.Rat) {
			alpha, sum := rat.Int(2), rat.Add(absOf(nu), absOf(threshold))
			if f.Cmp(minus(alpha)) >= 0 || sum.Cmp(rat.Mul(rat.Of(more), alpha)) > 0 {
				return
			}
			t.Require(!isStrict || sum.Cmp(alpha) < 0, "T − α = −2, and T − |ν_i| − |T − T̂| = %s", minus(sum))
			t.Require(rat.Add(f, nu).Cmp(threshold) < 0, "f_i(D) + ν_i = %s", rat.Add(f, nu))
		})()
}

// tailsOfBoth checks Pr[|T − T̂| ≥ α/2] = e^(−εα/4) ≤ β/2 for a share of α = 4·log(2/β)/ε, and Pr[max |ν_i| ≥ α/2] ≤
// k·e^(−εα/8) ≤ β/2 for a share of α = 8(log(2/β) + log k)/ε.
var tailsOfBoth = on("k in {1, 5, 1000}, β in {1/1000, 1/3}, ε in {1/2, 3}",
	func(t *register.T, first, second string, k int, beta, eps *big.Rat) {
		law, half := noiseOf(eps), rat.Mul(rat.Half, beta)
		decays := func(alpha interval.Interval, scale *big.Rat) interval.Interval { // e^(−(α/2)/scale)
			return precise.Exp(precise.Neg(times(alpha, rat.Quo(rat.Half, scale))))
		}
		slack := rat.Add(half, rat.Mul(half, rat.Of("1e-12"))) // for the scales, which are float64
		alpha := times(precise.Log(rat.Quo(rat.Int(2), beta)), rat.Quo(rat.Mul(rat.Int(4), rat.Of(first)), eps))
		t.Within(decays(alpha, law.RhoScale), slack, "|T − T̂| ≥ α/2 has more than β/2 for α = %.9g", alpha.Lower)
		alpha = impl.AboveThresholdAccuracy(k, beta, eps)
		isAbout(t, "α", alpha, spec.AboveThresholdAccuracy(k, rat.Float64(beta), rat.Float64(eps)))
		alpha = times(alpha, rat.Of(second))
		all := times(decays(alpha, law.NuScale), rat.Int(k))
		t.Within(all, slack, "k·e^(−εα/8) is more than β/2 for α = %.9g", alpha.Lower)
	})
