package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// martingales are the inequalities for supermartingales, and what subGaussian means.
func martingales() register.Checks {
	two := rat.Int(2)
	return register.Checks{
		"FAC-L4": checked(with(ville, false, rat.One, rat.One),
			near("if E[X_0] > 0, with probability at most 19δ/20", with(ville, true, nearly, rat.One)),
			near("if E[X_0] > 0, also if X grows by a twentieth in every round", with(ville, true, rat.One, more)),
			corrected("if E[X_0] > 0", with(ville, true, rat.One, rat.One))),
		"FAC-L5": checked(all(with(optionalStopping, rat.One, rat.One), stoppedAt),
			near("E[X_τ] ≤ 19/20·E[X_0]", with(optionalStopping, rat.One, nearly)),
			near("also if X grows by a twentieth in every round", with(optionalStopping, more, rat.One))),
		"FAC-X20": checked(with(oneSided, two, 1),
			alsoHolds("as printed, with σ = √2 in the place of σ² = 2 for −X: it is not either", with(oneSided, two,
				math.Sqrt2/2)),
			near("X is with 19/20 of σ²", with(oneSided, rat.Of("19/10"), 20./19)),
			near("−X is not with 5/4 of σ² either", with(oneSided, two, 1.25))),
		"FAC-L9": checked(with(expectedLoss, rat.One),
			alsoFails(register.Slip, "with 𝓛 as printed, the loss of the laws of A alone", unconditionalLoss),
			near("at most 19/20·ε²/2", with(expectedLoss, nearly))),
	}
}

// process is a random process on two outputs a round: from what has happened to the value, and the law of the next
// output. The first output decides X_0.
type process struct {
	value map[string]*big.Rat
	laws  finite.Tree
}

// says what a process is.
const says = "E[X_0] = %s, after outputs X is %v, with probabilities %v"

// law is that of all outputs.
func (x process) law() finite.Law { return x.laws.Law(nil)[0] }

// randomProcess returns a non-negative supermartingale of up to three rounds, times growth^n.
func randomProcess(d register.Dice, growth *big.Rat) process {
	likely := func() finite.Law { return coin(big.NewRat(int64(1+d.Roll(3)), 4)) }
	first := likely()
	x := process{map[string]*big.Rat{"": new(big.Rat)}, finite.Tree{"": {first, first}}}
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
func ville(t *register.T, positive bool, factor, growth *big.Rat) {
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
			got := spec.PrEver(x.law(), func(s string) bool { return s != "" && x.value[s].Cmp(level) >= 0 })
			t.Require(got.Cmp(rat.Mul(factor, delta)) <= 0, says+"; it reaches E[X_0]/δ with probability %s, δ = %s",
				mean, finite.Law(x.value), x.law(), got, delta)
			t.CloseTo(got, delta, "X %v, δ = %s", finite.Law(x.value), delta)
		}
	})
}

// randomStops stops with a probability of a quarter after each of some outputs.
func randomStops(d register.Dice, after []string) finite.Criterion {
	h := finite.Criterion{}
	for _, s := range after {
		h[s] = finite.Deterministic[d.Roll(4)/3]
	}
	return h
}

// optionalStopping checks the mean at random stopping times.
func optionalStopping(t *register.T, growth, factor *big.Rat) {
	t.Domain("random processes of up to 3 rounds with 2 outputs, X_0 of 0, 1 or 2, random stopping times")
	t.Random(9, t.Size(1500, 10000), func(t *register.T, d register.Dice) {
		x := randomProcess(d, growth)
		h := randomStops(d, finite.Earlier(4)[1:])
		got := spec.StoppedMean(x.law(), func(s string) *big.Rat { return x.value[s] }, stopsBy(h))
		t.Require(got.Cmp(rat.Mul(factor, x.value[""])) <= 0, says+"; %v: E[X_τ] = %s",
			x.value[""], finite.Law(x.value), x.law(), h, got)
		t.CloseTo(got, x.value[""], "X %v", finite.Law(x.value))
	})
}

// stopsBy reports whether a criterion stops after outputs.
func stopsBy(h finite.Criterion) func(s string) bool {
	return func(s string) bool { return h[s] != nil && h[s].Sign() > 0 }
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
		want := rat.Power(rat.Half, min(n, 3))
		t.Require(rat.Equal(got, want), "X_n = 2^−n, stopped at n = %d: E[X_τ] = %s, not %s", n, got, want)
	}
}

// oneSided checks that X, which is 1 with probability 2/3 and −2 otherwise, is σ²-subGaussian, and that −X is not with
// σ² times a factor.
func oneSided(t *register.T, sigma2 *big.Rat, factor float64) {
	const terms = 60
	t.Domain("%d terms of the power series, λ = 1/50, …, 4", terms)
	coefficient := rat.One // (σ²/2)^k/k!, beside which stands E(X^(2k))/(2k)!
	for k := 1; k <= terms; k++ {
		t.Case()
		likely, power := rat.Of("2/3"), rat.Power(rat.Int(4), k)
		even := rat.Add(likely, rat.Quo(power, rat.Int(3))) // E(X^2k)
		odd := rat.Sub(likely, rat.Quo(power, rat.Int(6)))
		coefficient = rat.Quo(rat.Mul(coefficient, sigma2), rat.Int(2*k))
		moment := rat.Quo(even, new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(2*k))))
		t.Require(moment.Cmp(coefficient) <= 0 && odd.Sign() <= 0,
			"the terms of order %d: E(X^%d)/%d! = %.6g, of the bound %.6g", 2*k, 2*k, 2*k, moment, coefficient)
	}
	areSubGaussian(t, []increment{{1, -2, 2. / 3, 2}})
	worst := 0.0
	for i := 1; i <= 200; i++ {
		t.Case()
		worst = max(worst, spec.SubGaussianRatio([]float64{-1, 2}, []float64{2. / 3, 1. / 3},
			factor*rat.Float64(sigma2), float64(i)/50))
	}
	t.Require(worst > 1+1e-12, "E(e^(−λX)) is at most %.9g times the bound", worst)
}

// expectedLoss checks the mean of the loss of pairs of laws, with the smallest ε, against ε²/2 times a factor.
func expectedLoss(t *register.T, factor *big.Rat) {
	ratios := rat.List("1000001/1000000", "101/100", "3/2", "3", "20", "1000000")
	t.AlsoDomain("two outputs with e^ε in {%s}; "+
		"all pairs of laws over up to 3 outputs with positive probabilities in 1/6", ratios)
	var pairs []finite.Pair
	for _, r := range ratios {
		pairs = append(pairs, mirrored(r))
	}
	for _, p := range append(pairs, pairsIn(6)...) {
		forth, back := impl.ExpMaxDivergence(p.Dense()), impl.ExpMaxDivergence(p.Back().Dense())
		if forth == nil || back == nil || len(p.Possible()[0]) < len(p[0]) || rat.Equal(forth, rat.One) {
			continue
		}
		t.At("%v", p)
		const rounding = 1e-9 // of terms that cancel to their square
		mean, _ := impl.ExpectedLoss(p.Dense())
		bound, printed := precise.Mul(precise.Rat(factor), ledger.DPToZCDP(loss.Exp(rat.Max(forth, back)))),
			spec.ExpectedLoss(p[0], p[1])
		most := bound.Float()
		t.Require(mean.Upper.Cmp(bound.Lower) <= 0 && math.Abs(printed-mean.Float().Lo) <= rounding*math.Sqrt(most.Hi),
			"the expected loss is %.6g, by spec %.6g, at most %.6g is claimed", mean.Float().Hi, printed, most.Lo)
		t.Close(mean.Float().Hi/most.Lo, "")
	}
}

// unconditionalLoss checks that the expected loss of A given B(x), of the laws of A alone, is at most ε²/2, where A
// outputs what B did: ε = 0.
func unconditionalLoss(t *register.T) {
	t.Domain("B is randomized response with e^ε = 3, A repeats its output")
	p := mirrored(rat.Int(3))
	for _, z := range p[0].Outputs() {
		t.Case()
		x := spec.ExpLoss(p[0], p[1], z)
		t.Require(x.Cmp(rat.One) <= 0, "%v, B(x) = %s: A is 0-DP given B, and its loss is ln %s", p, z, x)
	}
}

// lossMartingale are the statements on the martingale of the privacy loss.
func lossMartingale() register.Checks {
	mean := func(m onLattice, _ *big.Rat, _ bool) *big.Rat { return m.mean() }
	known := func(m onLattice, loss *big.Rat, isLast bool) *big.Rat {
		if isLast {
			return m.mean()
		}
		return loss
	}
	larger := func(m onLattice, _ *big.Rat, _ bool) *big.Rat { return rat.Mul(rat.Of("101/100"), m.mean()) }
	bound := func(m onLattice, _ *big.Rat, _ bool) *big.Rat {
		return rat.Mul(rat.Of("0.34657"), rat.Int(m.eps()*m.eps())) // of (k ln 2)²/2, in units of ln 2
	}
	return register.Checks{
		"FAC-E10": checked(with(isMartingale, mean),
			alsoFails(register.Slip, "with F_{n−1} for all m", with(isMartingale, known)),
			near("with a hundredth more of what is expected", with(isMartingale, larger))),
		"FAC-X22": checked(with(isMartingale, mean),
			near("with ε_m²/2 for what is expected", with(isMartingale, bound))),
		"FAC-X23": checked(with(isSubGaussian, 1, 1),
			near("it is (0.99·ε_n²)-subGaussian", with(isSubGaussian, 0.99, 1)),
			near("nine tenths of the loss are taken for what is expected of it", with(isSubGaussian, 1, 0.9))),
	}
}

// onLattice is a mechanism with two outputs and pure DP, of which the privacy losses are whole multiples of ln base.
type onLattice struct {
	base *big.Rat
	p    [2]*big.Rat // its law on the true database
	loss [2]int
}

func (m onLattice) String() string {
	return fmt.Sprintf("(loss %d·ln %s with probability %s, %d·ln %[2]s otherwise)", m.loss[0], rat.Show(m.base),
		rat.Show(m.p[0]), m.loss[1])
}

// eps returns its ε, a multiple of ln base.
func (m onLattice) eps() int { return max(-m.loss[0], m.loss[1]) }

// mean returns the expected loss.
func (m onLattice) mean() *big.Rat {
	return rat.Add(rat.Mul(m.p[0], rat.Int(m.loss[0])), rat.Mul(m.p[1], rat.Int(m.loss[1])))
}

// lattices returns all of them with losses from −most to most times ln base.
func lattices(base *big.Rat, most int) (all []onLattice) {
	for down := 1; down <= most; down++ {
		for up := 1; up <= most; up++ {
			rise, fall := rat.Power(base, down), rat.Power(base, -up)
			p := rat.Quo(rat.Sub(rat.One, fall), rat.Sub(rise, fall))
			all = append(all, onLattice{base, [2]*big.Rat{p, rat.Complement(p)}, [2]int{-down, up}})
		}
	}
	return all
}

// expected is what is taken for the expected loss of a round.
type expected = func(m onLattice, loss *big.Rat, isLast bool) *big.Rat

// isMartingale checks that after every sequence of outputs of up to three mechanisms, each of which an adversary
// chooses by the outputs before it, M_n is expected to be M_{n−1}. Losses are in units of ln 2.
func isMartingale(t *register.T, of expected) {
	t.Domain("random adversaries over mechanisms with 2 outputs and the losses −i·ln 2 and k·ln 2, " +
		"i, k ≤ 3, 3 rounds, all outputs")
	all := lattices(rat.Int(2), 3)
	t.Random(10, t.Size(100, 1000), func(t *register.T, d register.Dice) {
		var after func(played []onLattice, losses []*big.Rat)
		after = func(played []onLattice, losses []*big.Rat) {
			if len(played) == 3 {
				return
			}
			m := all[d.Roll(len(all))]
			mean, before := new(big.Rat), valueOf(played, losses, of)
			played = append(slices.Clip(played), m)
			for z, pr := range m.p {
				then := append(slices.Clip(losses), rat.Int(m.loss[z]))
				mean = rat.Add(mean, rat.Mul(pr, valueOf(played, then, of)))
				after(played, then)
			}
			t.Require(rat.Equal(mean, before),
				"%v, losses %s so far: M_%d = %s, and M_%d is expected to be %s, in units of ln 2",
				played, losses, len(losses), before, len(played), mean)
		}
		after(nil, nil)
	})
}

// valueOf returns M_n.
func valueOf(played []onLattice, losses []*big.Rat, of expected) *big.Rat {
	var means []*big.Rat
	for i, m := range played {
		means = append(means, of(m, losses[i], i == len(played)-1))
	}
	return spec.LossMartingale(losses, means)
}

// isSubGaussian checks the moment generating function of ΔM_1, with ε² and the expected loss scaled.
func isSubGaussian(t *register.T, square, share float64) {
	t.Domain("mechanisms with 2 outputs and the losses −i·ln b and k·ln b, i, k ≤ 4, b = 1.001, 1.1, 2 and 10; " +
		"|λ| = 1/4, 1, 4 and 16")
	lambdas := []float64{0.25, 1, 4, 16, -0.25, -1, -4, -16}
	for _, base := range rat.List("1001/1000", "11/10", "2", "10") {
		unit := interval.Precision(64).Log(base).Float()
		finite.Each2(lattices(base, 4), lambdas, func(m onLattice, lambda float64) {
			t.At("%v, λ = %g", m, lambda)
			mean, moment := rat.Mul(exact(share), m.mean()), interval.Point(0)
			scale := unit.Mul(interval.Point(lambda))
			for z, pr := range m.p {
				delta := spec.LossMartingale([]*big.Rat{rat.Int(m.loss[z])}, []*big.Rat{mean})
				moment = moment.Add(interval.FloatOf(pr).Mul(scale.Mul(interval.FloatOf(delta)).Exp()))
			}
			x := unit.Mul(interval.Point(lambda * float64(m.eps())))
			log, bound := moment.Log(), x.Mul(x).Mul(interval.Point(square/2))
			t.Require(log.Lo <= bound.Hi, "E(e^(λΔM)) = e^%.6g, claimed is e^%.6g", log.Lo, bound.Hi)
			t.Close(log.Hi/bound.Lo, "")
		})
	}
}
