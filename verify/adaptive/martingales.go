package adaptive

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// martingales are the inequalities for supermartingales, and what subGaussian means.
func martingales() register.Checks {
	return register.Checks{
		"FAC-L4": register.Checked(ville(false, rat.One, rat.One),
			register.NearMiss("if E[X_0] > 0, with probability at most 19δ/20", ville(true, nearly, rat.One)),
			register.NearMiss("if E[X_0] > 0, also if X grows by a twentieth in every round", ville(true, rat.One, more)),
			register.Corrected("if E[X_0] > 0", ville(true, rat.One, rat.One)),
		),
		"FAC-L5": register.Checked(register.All(optionalStopping(rat.One, rat.One, false), stoppedAt),
			register.Control("at the time of the maximum, which is no stopping time", optionalStopping(rat.One, rat.One, true)),
			register.NearMiss("E[X_τ] ≤ 19/20·E[X_0]", optionalStopping(rat.One, nearly, false)),
			register.NearMiss("also if X grows by a twentieth in every round", optionalStopping(more, rat.One, false)),
		),
		"FAC-X20": register.Checked(oneSided(rat.Int(2), 1, true),
			register.AlsoHolds("as printed, with σ = √2 in the place of σ² = 2 for −X: it is not either", oneSided(rat.Int(2),
				math.Sqrt2/2, true)),
			register.Control("−X is", oneSided(rat.Int(2), 1, false)),
			register.NearMiss("X is with 19/20 of σ²", oneSided(rat.Of("19/10"), 20./19, true)),
			register.NearMiss("−X is not with 5/4 of σ² either", oneSided(rat.Int(2), 1.25, true)),
		),
		"FAC-L9": register.Checked(expectedLoss(rat.One),
			register.AlsoFails(register.Slip, "with 𝓛 as printed, the loss of the laws of A alone", unconditionalLoss),
			register.NearMiss("at most 19/20·ε²/2", expectedLoss(nearly)),
		),
	}
}

// process is a random process on two outputs a round: from what has happened to the value, and the law of the next
// output. The first output decides X_0.
type process struct {
	value map[string]*big.Rat
	laws  finite.Tree
}

// randomProcess returns a non-negative supermartingale of up to three rounds, times growth^n.
func randomProcess(d register.Dice, growth *big.Rat) process {
	likely := func() finite.Law {
		p := big.NewRat(int64(1+d.Roll(3)), 4)
		return finite.Law{"a": p, "b": rat.Complement(p)}
	}
	first := likely()
	x := process{map[string]*big.Rat{}, finite.Tree{"": {first, first}}}
	x.value[""] = new(big.Rat)
	for _, o := range first.Outputs() {
		x.value[o] = rat.Int(d.Roll(3))
		x.value[""] = rat.Add(x.value[""], rat.Mul(first[o], x.value[o]))
	}
	for _, s := range finite.Earlier(1 + d.Roll(4))[1:] {
		law := likely()
		x.laws[s] = finite.Pair{law, law}
		part := big.NewRat(int64(4-d.Roll(5)), 4) // of the mean in output a
		kept := rat.Product(x.value[s], growth, rat.List("1", "3/4")[d.Roll(4)/3])
		x.value[s+"a"] = rat.Quo(rat.Mul(kept, part), law["a"])
		x.value[s+"b"] = rat.Quo(rat.Mul(kept, rat.Complement(part)), law["b"])
	}
	return x
}

// ville checks how probable it is to ever reach E[X_0]/δ.
func ville(positive bool, factor, growth *big.Rat) register.Check {
	return func(t *register.T) {
		levels := rat.List("1/2", "1/4", "1/3", "1/10", "99/100", "9/16")
		t.Domain("random processes of up to 3 rounds with 2 outputs, X_0 of 0, 1 or 2, δ in {%s}", levels)
		t.Random(8, t.Size(500, 5000), func(t *register.T, d register.Dice) {
			x := randomProcess(d, growth)
			mean := x.value[""]
			if positive && mean.Sign() == 0 {
				return
			}
			for _, delta := range levels {
				level := rat.Quo(mean, delta)
				got := spec.PrEver(x.laws.Law(nil)[0], func(s string) bool { return s != "" && x.value[s].Cmp(level) >= 0 })
				if got.Cmp(rat.Mul(factor, delta)) > 0 {
					t.Refute("E[X_0] = %s, after outputs X is %v, with probabilities %v; it reaches E[X_0]/δ with probability %s, δ = %s",
						mean, finite.Law(x.value), x.laws.Law(nil)[0], got, delta)
				}
				t.CloseTo(got, delta, "X %v, δ = %s", finite.Law(x.value), delta)
			}
		})
	}
}

// optionalStopping checks the mean at random stopping times, or at the time of the maximum.
func optionalStopping(growth, factor *big.Rat, atMaximum bool) register.Check {
	return func(t *register.T) {
		t.Domain("random processes of up to 3 rounds with 2 outputs, X_0 of 0, 1 or 2, random stopping times")
		t.Random(9, t.Size(1500, 10000), func(t *register.T, d register.Dice) {
			x, h := randomProcess(d, growth), finite.Criterion{}
			for _, s := range finite.Earlier(4)[1:] {
				h[s] = finite.Deterministic[d.Roll(4)/3]
			}
			value, stops := func(s string) *big.Rat { return x.value[s] }, func(s string) bool {
				return s != "" && h[s] != nil && h[s].Sign() > 0
			}
			if atMaximum {
				value = func(s string) *big.Rat {
					most := new(big.Rat)
					for n := range s {
						most = rat.Max(most, x.value[s[:n+1]])
					}
					return most
				}
			}
			got := spec.StoppedMean(x.laws.Law(nil)[0], value, stops)
			if got.Cmp(rat.Mul(factor, x.value[""])) > 0 {
				t.Refute("E[X_0] = %s, after outputs X is %v, with probabilities %v; %v: E[X_τ] = %s", x.value[""],
					finite.Law(x.value), x.laws.Law(nil)[0], h, got)
			}
			t.CloseTo(got, x.value[""], "X %v", finite.Law(x.value))
		})
	}
}

// stoppedAt checks the mean at a fixed time of a process that falls strictly: it is the value then, also at once and
// never.
func stoppedAt(t *register.T) {
	t.AlsoDomain("X_n = 2^−n after n = 0, …, 3 of 3 outputs, and never stopped")
	outputs := map[string]*big.Rat{"aaa": rat.Half, "abb": rat.Of("1/3"), "bab": rat.Of("1/6")}
	value := func(s string) *big.Rat { return rat.Power(rat.Half, len(s)) }
	for n := range 5 {
		t.Case()
		got := spec.StoppedMean(outputs, value, func(s string) bool { return len(s) == n })
		if want := rat.Power(rat.Half, min(n, 3)); got.Cmp(want) != 0 {
			t.Refute("X_n = 2^−n, stopped at n = %d: E[X_τ] = %s, not %s", n, got, want)
		}
	}
}

// oneSided checks that X, which is 1 with probability 2/3 and −2 otherwise, is σ²-subGaussian, and that −X is not, or
// is, with σ² times a factor.
func oneSided(sigma2 *big.Rat, factor float64, isNot bool) register.Check {
	const terms, rounding = 60, 1e-12
	return func(t *register.T) {
		t.Domain("%d terms of the power series, λ = 1/50, …, 4", terms)
		coefficient := rat.One // (σ²/2)^k/k!, beside which stands E(X^(2k))/(2k)!
		for k := 1; k <= terms; k++ {
			t.Case()
			even, odd := rat.Of("2/3"), rat.Of("2/3") // E(X^j), j = 2k and 2k − 1
			even, odd = rat.Add(even, rat.Quo(rat.Power(rat.Int(4), k), rat.Int(3))),
				rat.Sub(odd, rat.Quo(rat.Power(rat.Int(4), k), rat.Int(6)))
			coefficient = rat.Quo(rat.Mul(coefficient, sigma2), rat.Int(2*k))
			moment := rat.Quo(even, new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(2*k))))
			if moment.Cmp(coefficient) > 0 || odd.Sign() > 0 {
				t.Refute("the terms of order %d: E(X^%d)/%d! = %.6g, of the bound %.6g", 2*k, 2*k, 2*k, moment, coefficient)
			}
		}
		worst, at := 0.0, 0.0
		for i := 1; i <= 200; i++ {
			t.Case()
			lambda := float64(i) / 50
			if x := spec.SubGaussianRatio([]float64{1, -2}, []float64{2. / 3, 1. / 3}, rat.Float64(sigma2), lambda); x > 1+
				rounding {
				t.Refute("λ = %g: E(e^(λX)) is %.9g times the bound", lambda, x)
			}
			if x := spec.SubGaussianRatio([]float64{-1, 2}, []float64{2. / 3, 1. / 3}, factor*rat.Float64(sigma2),
				lambda); x > worst {
				worst, at = x, lambda
			}
		}
		if isNot != (worst > 1+rounding) {
			t.Refute("E(e^(−λX)) is at most %.9g times the bound, at λ = %g", worst, at)
		}
	}
}

// expectedLoss checks the mean of the loss of pairs of laws, with the smallest ε, against ε²/2 times a factor.
func expectedLoss(factor *big.Rat) register.Check {
	return func(t *register.T) {
		ratios := rat.List("1000001/1000000", "101/100", "3/2", "3", "20", "1000000")
		t.Domain("two outputs with e^ε in {%s}; all pairs of laws over up to 3 outputs with positive probabilities in 1/6",
			ratios)
		try := func(p finite.Pair) {
			law0, law1 := p.Dense()
			most := rat.One
			for o := range p[0] {
				if p[0][o].Sign() == 0 || p[1][o].Sign() == 0 {
					return
				}
				x := spec.ExpLoss(p[0], p[1], o)
				most = rat.Max(most, x, rat.Quo(rat.One, x))
			}
			if most.Cmp(rat.One) == 0 {
				return
			}
			t.Case()
			const rounding = 1e-9 // of terms that cancel to their square
			mean, _ := impl.ExpectedLoss(law0, law1)
			bound := precise.Mul(precise.Rat(factor), impl.DPToZCDP(loss.Exp(most)))
			if asPrinted := spec.ExpectedLoss(p[0], p[1]); mean.Upper.Cmp(bound.Lower) > 0 ||
				!(math.Abs(asPrinted-mean.Float().Lo) <= rounding*math.Sqrt(bound.Float().Hi)) {
				t.Refute("%v: the expected loss is %.6g, by spec %.6g, at most %.6g is claimed", p, mean.Float().Hi, asPrinted,
					bound.Float().Lo)
			}
			t.Close(mean.Float().Hi/bound.Float().Lo, "%v", p)
		}
		for _, r := range ratios {
			try(mirrored(r))
		}
		for p := range finite.Pairs(3, 6) {
			try(p)
		}
	}
}

// unconditionalLoss checks that the expected loss of A given B(x), of the laws of A alone, is at most ε²/2, where A
// outputs what B did: ε = 0.
func unconditionalLoss(t *register.T) {
	t.Domain("B is randomized response with e^ε = 3, A repeats its output")
	p := mirrored(rat.Int(3))
	for _, z := range p[0].Outputs() {
		t.Case()
		if x := spec.ExpLoss(p[0], p[1], z); x.Cmp(rat.One) > 0 {
			t.Refute("%v, B(x) = %s: A is 0-DP given B, and its loss is ln %s", p, z, x)
		}
	}
}
