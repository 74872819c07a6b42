package adaptive

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// odometers are the statements on privacy odometers.
func odometers() register.Checks {
	before := func(o odometer, eps, delta []float64) float64 {
		n := len(eps) - 1
		return o.read(eps[:n], delta[:n])
	}
	fromFirst := func(o odometer, eps, delta []float64) float64 {
		if len(eps) == 1 {
			delta = []float64{0}
		}
		return o.read(eps, delta)
	}
	unlimited := func(o odometer, eps, delta []float64) float64 { return o.read(eps, make([]float64, len(delta))) }
	exceedsDelta2 := func(r drawn) bool { return sum(r.delta) > r.delta2 }
	reachesDelta2 := func(r drawn) bool { return sum(r.delta) >= r.delta2 }
	keeps := func(c odometerClaim) register.Check { return with(exceeds, theorem3Cases, c) }
	return register.Checks{
		"FAC-T3": checked(with(isOdometer, odometerClaim{}),
			alsoHolds("for δ_n = 0", keeps(odometerClaim{use: isPureCase})),
			alsoHolds("for randomized response, with δ_n > 0", keeps(odometerClaim{})),
			alsoFails(register.Slip, "for randomized response, with u_n of the parameters up to n − 1 (FAC-D6)",
				keeps(odometerClaim{of: before})),
			alsoFails(register.Slip, "for randomized response, with N from n = 1", keeps(odometerClaim{of: fromFirst})),
			near("the filter odometer with a twentieth less",
				keeps(odometerClaim{factor: 0.95, use: ofKind("filter")})),
			near("the mixture odometer with a tenth less", keeps(odometerClaim{factor: 0.9, use: ofKind("mixture")})),
			near("the stitched odometer with a tenth less", keeps(odometerClaim{factor: 0.9, use: ofKind("stitched")})),
			near("with nine tenths of −ln(1 − Σ δ_m) added", with(isOdometer, odometerClaim{shift: 0.9})),
			near("for randomized response, if n > N is not looked at", keeps(odometerClaim{of: unlimited})),
			corrected("they are with −ln(1 − Σ_{m≤n} δ_m) added", all(with(isOdometer, odometerClaim{shift: 1}),
				odometersAgree("filter", "mixture", "stitched"), rulesAgree))),
		"FAC-X10": checked(with(breaksByDP, breaking{0, "11/10", "1/5", 0.1}),
			alsoHolds("also if −ln(1 − δ) is added, with δ = 1/2", with(breaksByDP, breaking{1, "11/10", "1/2", 0.1})),
			near("it breaks them with δ = 1/100", with(breaksByDP, breaking{0, "11/10", "1/100", 0.1})),
			near("it breaks them with e^ε = 3", with(breaksByDP, breaking{0, "3", "1/5", 0.1})),
			near("it breaks them at δ′ = 1/2", with(breaksByDP, breaking{0, "11/10", "1/5", 0.5}))),
		"FAC-X16": checked(with(dependsOnVariance, exceedsDelta2, 2),
			near("they are ∞ from Σ δ_m = δ″ on", with(dependsOnVariance, reachesDelta2, 2)),
			near("they depend on Σ |ε_m|^1.99 only", with(dependsOnVariance, exceedsDelta2, 1.99))),
	}
}

// odometer is one of those of the text, with its parameter.
type odometer struct {
	kind           string
	delta1, delta2 float64
	parameter      float64 // ε, γ, v_0 or |x|
}

func (o odometer) String() string {
	return fmt.Sprintf("the %s odometer with parameter %.6g, δ′ = %.6g, δ″ = %.6g",
		o.kind, o.parameter, o.delta1, o.delta2)
}

// kind is a kind of odometers in both rooms. In impl the parameter of the filter odometer is twice as effective
// (FAC-X24).
type kind struct {
	bySpec func(eps, delta []float64, delta1, delta2, parameter float64) float64
	byImpl func(parameter float64) ledger.Curve
}

func kindOf(name string) kind {
	rogers := func(x float64) ledger.Curve { return ledger.RogersCurve{Size: x} }
	return map[string]kind{
		"filter":   {spec.FilterOdometer, func(x float64) ledger.Curve { return ledger.FilterCurve{Target: x / 2} }},
		"mixture":  {spec.MixtureOdometer, func(x float64) ledger.Curve { return ledger.MixtureCurve{Gamma: x} }},
		"stitched": {spec.StitchedOdometer, func(x float64) ledger.Curve { return ledger.StitchedCurve{V0: x} }},
		"original": {spec.RogersOdometer, rogers}, "original with log": {originalWithLog, rogers},
	}[name]
}

// read is what it reads.
func (o odometer) read(eps, delta []float64) float64 {
	return kindOf(o.kind).bySpec(eps, delta, o.delta1, o.delta2, o.parameter)
}

// at is what it reads for one mechanism of variance v with δ = 0.
func (o odometer) at(v float64) float64 { return o.read([]float64{math.Sqrt(v)}, []float64{0}) }

// odometerClaim is a variant of an odometer: another reading, times a factor, if that is not 0, and so many times
// −ln(1 − Σ δ_m); for some cases, or all.
type odometerClaim struct {
	of            func(o odometer, eps, delta []float64) float64
	factor, shift float64
	use           func(testCase) bool
}

// reading returns what is claimed to be read.
func (c odometerClaim) reading(o odometer) reading {
	if c.of == nil {
		c.of = odometer.read
	}
	return func(eps, delta []float64) float64 {
		u := c.of(o, eps, delta) * cmp.Or(c.factor, 1)
		if c.shift > 0 {
			u += c.shift * shift(sum(delta))
		}
		return u
	}
}

// shift is −ln(1 − δ).
func shift(delta float64) float64 { return -math.Log1p(-min(delta, 1)) }

// testCase is an odometer against a menu of randomized responses.
type testCase struct {
	odometer
	menu   menu
	rounds int
}

func isPureCase(b testCase) bool { return b.menu.isPure() }

func ofKind(kind string) func(testCase) bool { return func(b testCase) bool { return b.kind == kind } }

// small and large are menus with δ_m = δ″, and more, and less.
var small, large = menuOf("1/2 1/16", "1/5 0", "2 9/128"), menuOf("3 0", "1 1/32", "1/2 0")

// theorem3Cases go to both ends: one round and hundreds, δ″ = 0, δ′ near 1, tiny δ′, tiny and huge parameters.
var theorem3Cases = []testCase{
	{odometer{"filter", 1. / 64, 1. / 64, 0.5}, menuOf("1/5 1/4"), 1},
	{odometer{"filter", 1. / 4, 1. / 16, 0.5}, small, 6},
	{odometer{"mixture", 1. / 4, 1. / 16, 0.1}, small, 6},
	{odometer{"stitched", 1. / 4, 1. / 16, 0.05}, small, 6},
	{odometer{"filter", 15. / 16, 1. / 32, 8}, large, 12},
	{odometer{"mixture", 15. / 16, 1. / 32, 1e-9}, large, 12},
	{odometer{"stitched", 15. / 16, 1. / 32, 1e-9}, large, 12},
	{odometer{"filter", 1e-9, 0, 100}, menuOf("1 0", "3 0"), 20},
	{odometer{"mixture", 1e-9, 0, 100}, menuOf("1 0", "3 0"), 20},
	{odometer{"filter", 0.3, 0, 2}, menuOf("1/20 0"), 900},
	{odometer{"filter", 1e-40, 0, 40}, menuOf("1/10 0"), 200},
	{odometer{"mixture", 1e-40, 0, 0.04}, menuOf("1/10 0"), 400},
	{odometer{"stitched", 1e-60, 0, 2}, menuOf("1/10 0"), 500},
}

// exceeds checks that no adversary exceeds what is read with a probability of more than δ′ + δ″.
func exceeds(t *register.T, testCases []testCase, c odometerClaim) {
	least, most, rounds := 1.0, 0.0, 0
	for _, b := range testCases {
		least, most, rounds = min(least, b.delta1), max(most, b.delta1), max(rounds, b.rounds)
	}
	t.Domain("%d odometers, δ′ from %g to %g, δ″ from 0 to 1/16, against menus of 1 to 3 randomized responses, "+
		"up to %d rounds", len(testCases), least, most, rounds)
	for _, b := range testCases {
		if c.use != nil && !c.use(b) {
			continue
		}
		t.At("%v, up to %d rounds of %v", b.odometer, b.rounds, b.menu)
		claim := b.delta1 + b.delta2
		worst, refuted := worstExcess(t, b.menu, b.rounds, odometerOf{b.menu, c.reading(b.odometer)}, claim)
		t.Require(!refuted, "exceeded with probability %.6g, claimed is %.6g", worst, claim)
		t.Close(worst/claim, "")
	}
}

// tightAt are the odometers of Theorem 3 with parameters that make them tight near v.
func tightAt(v, delta1, delta2, v0 float64) []odometer {
	return []odometer{{"filter", delta1, delta2, targetAt(v, delta1)}, {"mixture", delta1, delta2, v},
		{"stitched", delta1, delta2, v0}}
}

// targetAt returns the ε for which the printed y* is v.
func targetAt(v, delta1 float64) float64 { return 2 * spec.AdvancedCharge(v, delta1) }

// isOdometer checks that, and that n mechanisms of which the loss is −ln(1 − δ) for sure do not exceed what is read.
func isOdometer(t *register.T, c odometerClaim) {
	const domain = "n = 6 and 3000 mechanisms with the laws (1, 0) and (1 − δ, δ), δ = 1/(10n), at δ′ = δ″ = 1/10"
	t.Domain(domain)
	ofSureLosses(t, c, func(v float64) []odometer { return tightAt(v, 0.1, 0.1, v/2) }, 6, 3000)
	exceeds(t, theorem3Cases, c)
	t.AlsoDomain(domain)
}

// ofSureLosses checks odometers that read little for n mechanisms with the laws (1, 0) and (1 − δ, δ), for several n.
func ofSureLosses(t *register.T, c odometerClaim, of func(v float64) []odometer, lengths ...int) {
	for _, n := range lengths {
		each := shift(0.1 / float64(n))
		eps := slices.Repeat([]float64{each}, n)
		delta := slices.Repeat([]float64{0.1 / float64(n) * (1 - 1e-12)}, n) // at most δ″ in float64 too
		for _, o := range of(float64(n) * each * each) {
			t.At("%v", o)
			u, loss := c.reading(o)(eps, delta), sum(eps)
			t.Require(loss <= u*(1+1e-9),
				"%d mechanisms with the laws (1, 0) and (1 − δ, δ), δ = 1/%d, have the loss %.6g for sure; "+
					"it reads %.6g", n, 10*n, loss, u)
			t.Close(loss/u, "for %d mechanisms with the loss %.6g", n, each)
		}
	}
}

// breaking is a claim of FAC-X10: with so many times −ln(1 − δ) added, for these e^ε, δ and δ′.
type breaking struct {
	shift         float64
	expEps, delta string
	delta1        float64
}

// breaksByDP checks that one mechanism that is (ε, δ)-DP exceeds each of the odometers of Theorem 3 by a tenth with a
// probability of more than δ′ + δ″.
func breaksByDP(t *register.T, c breaking) {
	t.Domain("the mechanism of FAC-X32, e^ε = %s, δ = δ″ = %s, δ′ = %g; y*, γ and v_0 near ε²",
		c.expEps, c.delta, c.delta1)
	e, leak := rat.Of(c.expEps), rat.Of(c.delta)
	low := rat.Quo(rat.Complement(leak), rat.Add(rat.One, e))
	high := rat.Complement(low)
	choice := exhaustive.Choice{Laws: [2][]*big.Rat{{high, low}, {low, high}}, Part: []int{0, 0},
		ExpE: []*big.Rat{e}, Delta: leak}
	needs := register.Must(spec.SmallestDPDelta(coin(high), coin(low), e))
	if needs.Cmp(leak) > 0 {
		t.Inconclusive("it is not (ε, %s)-DP, but needs %s", c.delta, rat.Show(needs))
	}
	eps, d := math.Log(rat.Float64(e)), rat.Float64(leak)
	for _, o := range tightAt(eps*eps, c.delta1, d, eps*eps*0.99) {
		t.Case()
		u := o.read([]float64{eps}, []float64{d}) + c.shift*shift(d)
		worst, _, err := exhaustive.WorstExcess(t.Context(), []exhaustive.Choice{choice}, 1,
			func(moves []exhaustive.Move, a, b *big.Rat) bool {
				return len(moves) > 0 && math.Log(rat.Float64(rat.Quo(a, b))) > u*1.1
			})
		t.Must(err)
		t.Require(rat.Float64(worst) > c.delta1+d, "%v: reads %.6g, exceeded with probability %s by a loss of %.6g",
			o, u, worst, math.Log(rat.Float64(rat.Quo(high, low))))
	}
}

// dependsOnVariance checks that the four odometers are infinite where it is said, and otherwise depend on Σ |ε_m|^power
// only.
func dependsOnVariance(t *register.T, isInfinite func(r drawn) bool, power float64) {
	for _, o := range []odometer{{"filter", 0, 0, 2}, {"mixture", 0, 0, 0.1}, {"stitched", 0, 0, 1e-6},
		{"original", 0, 0, 100}} {
		dependsOnSum(t, power, 1e-9, func(r drawn) float64 {
			o.delta1, o.delta2 = 1e-6, r.delta2
			u := o.read(r.eps, r.delta)
			t.Require(isInfinite(r) == math.IsInf(u, 1) || squares(r.eps) < 1e-6, "%v, ε = %v, δ = %v: reads %.9g",
				o, r.eps, r.delta, u)
			return u
		})
	}
}

// rulesAgree checks that the rule of impl is exceeded as often as the odometer of spec with −ln(1 − Σ δ_m) added, where
// Σ δ_m can be δ″ to the last bit.
func rulesAgree(t *register.T) {
	t.AlsoDomain("the odometers with δ″ > 0 as rules of impl against the same menus, some with δ_m = δ″")
	for _, b := range theorem3Cases {
		if b.delta2 == 0 {
			continue
		}
		t.At("%v, up to %d rounds of %v", b.odometer, b.rounds, b.menu)
		claim, curve := b.delta1+b.delta2, kindOf(b.kind).byImpl(b.parameter)
		rule := register.Must(ledger.NewCurveRule(curve, exact(b.delta1), exact(b.delta2)))
		got, _ := worstExcess(t, b.menu, b.rounds, rule, claim)
		want, _ := worstExcess(t, b.menu, b.rounds,
			odometerOf{b.menu, odometerClaim{shift: 1}.reading(b.odometer)}, claim)
		agree(t, "how often it is exceeded", got, want)
	}
}

// odometersAgree checks that impl reads what spec does, plus −ln(1 − Σ δ_m), and not more than Σ ε_m.
func odometersAgree(kinds ...string) register.Check {
	return func(t *register.T) {
		for _, kind := range kinds {
			agreeAtEdges(t, kind)
		}
		t.Random(3, t.Size(300, 3000), func(t *register.T, d register.Dice) {
			o := odometer{kinds[d.Roll(len(kinds))], []float64{0.3, 0.1, 1e-6, 1e-40}[d.Roll(4)],
				float64(d.Roll(64)) / 1024, []float64{2, 0.1, 1e-3, 100}[d.Roll(4)]}
			if o.kind == "original with log" {
				o.parameter = float64(2 + d.Roll(1000))
			}
			r := given(drawnRounds(d))
			got, want := o.run(t, r), min(odometerClaim{shift: 1}.reading(o)(r.eps, r.delta), sum(r.eps))
			if sum(r.delta) > o.delta2 {
				want = math.Inf(1)
			}
			t.Require(isNear(got, want) || isNear(squares(r.eps), o.parameter),
				"%v, ε = %v, δ = %v: by impl %.12g, by spec %.12g", o, r.eps, r.delta, got, want)
		})
	}
}

// run returns what an odometer of impl reads after some rounds, half of them on all of the data and the others on a
// part, of which it is the reading; another one goes on from that state. The last round counts on a second part, too.
func (o odometer) run(t *register.T, r drawn) float64 {
	begin := func() *ledger.Odometer {
		return register.Must(ledger.NewOdometer(kindOf(o.kind).byImpl(o.parameter), exact(o.delta1), exact(o.delta2)))
	}
	run := begin()
	for i := range r.e {
		t.Must(run.SpendOn([]string{"", "a"}[(2*i+1)/len(r.e)], r.e[i], r.deltas[i]))
	}
	again, n := begin(), len(r.e)
	t.Must(again.Resume(run.State()))
	t.Must(run.SpendOn("b", r.e[n-1], r.deltas[n-1]))
	one, two := again.Read(), run.Read()
	v, eps := run.ReadOn("a")
	_, ofB := run.ReadOn("b")
	_, ofAll := run.ReadOn("")
	t.Require(one.V == two.V && v == one.V && isNear(v.Hi, squares(r.eps)) && one.Events == n &&
		two.Eps == max(eps, ofB, ofAll) && one.Eps == max(eps, ofAll),
		"on two parts %+v, on one %v and %g, that goes on from a state %+v", two, v, eps, one)
	return eps
}

// agreeAtEdges checks what random rounds do not meet: a V where a curve changes, exactly and as a float64 around it,
// and a δ without an ε.
func agreeAtEdges(t *register.T, kind string) {
	o := odometer{kind, 0.3, 0, 1}
	if kind == "original with log" {
		o.parameter = 10
	}
	t.At("%v", o)
	r := given(slices.Repeat([]float64{1. / 8}, 64), make([]float64, 64)) // V = 1
	got, want := o.run(t, r), o.read(r.eps, r.delta)
	t.Require(math.Abs(got-want) <= 1e-9, "at V = 1: by impl %.12g, by spec %.12g", got, want)
	log, c := interval.FloatOf(rat.Of("10/3")).Log(), kindOf(kind).byImpl(o.parameter)
	for _, edge := range []float64{1, 1. / 100} {
		below, above := interval.Point(edge*(1-1e-9)), interval.Point(edge*(1+1e-9))
		got, want := c.Charge(below.Hull(above), log), max(c.Charge(below, log), c.Charge(above, log))
		t.Require(got >= want, "for a V next to %g: by impl %.12g, less than %.12g", edge, got, want)
	}
	got, want = c.Charge(interval.Point(2), log), c.(enclosing).Enclose(interval.Point(2), log).Hi
	t.Require(got >= want, "at V = 2: by impl %.17g, less than its upper end %.17g", got, want)
	best := ledger.BestCurve{c, ledger.MixtureCurve{Gamma: 1}}
	got, want = best.Charge(interval.Point(2), log), math.Inf(1)
	for _, curve := range best {
		want = min(want, curve.Charge(interval.Point(2), log.Add(interval.Point(2).Log())))
	}
	agree(t, "the charge of the best of two curves", got, want)
	got = o.run(t, given([]float64{1e200}, []float64{0}))
	agree(t, "the reading of a V beyond float64", got, 1e200)
	tenth := given([]float64{0.1}, []float64{0}) // no curve charges less
	tenth.e[0] = loss.Nats(rat.Of("1/10"))
	got = o.run(t, tenth)
	t.Require(exact(got).Cmp(rat.Of("1/10")) >= 0, "after ε = 1/10: by impl %g", got)
	o.delta2 = 5. / 8
	r = given(slices.Repeat([]float64{1. / 8}, 256), append(make([]float64, 255), 5./8)) // V = 4
	agree(t, "the reading after δ = 5/8", o.run(t, r), o.read(r.eps, r.delta)+shift(5./8))
	o.delta2 = 1. / 128
	got = o.run(t, given([]float64{0}, []float64{1. / 64}))
	t.Require(math.IsInf(got, 1), "after a mechanism with ε = 0 and δ = 1/64, δ″ = 1/128: "+
		"by impl %.12g, claimed is no ε", got)
}
