package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// odometer is one of those of the text, with its parameter.
type odometer struct {
	kind           string
	delta1, delta2 float64
	parameter      float64 // ε, γ, v_0 or |x|
}

func (o odometer) String() string {
	return fmt.Sprintf("the %s odometer with parameter %.6g, δ′ = %.6g, δ″ = %.6g", o.kind, o.parameter, o.delta1,
		o.delta2)
}

// read is what it reads.
func (o odometer) read(eps, delta []float64) float64 {
	f := map[string]func(eps, delta []float64, delta1, delta2, parameter float64) float64{
		"filter": spec.FilterOdometer, "mixture": spec.MixtureOdometer, "stitched": spec.StitchedOdometer,
		"original":          spec.RogersOdometer,
		"original with log": originalWithLog,
	}[o.kind]
	return f(eps, delta, o.delta1, o.delta2, o.parameter)
}

// curve is its curve in impl, of which the parameter of the filter odometer is twice as effective (FAC-X24).
func (o odometer) curve() impl.Curve {
	switch o.kind {
	case "filter":
		return impl.FilterCurve{Target: o.parameter / 2}
	case "mixture":
		return impl.MixtureCurve{Gamma: o.parameter}
	case "stitched":
		return impl.StitchedCurve{V0: o.parameter}
	}
	return impl.RogersCurve{Size: o.parameter}
}

func theorem3(o odometer) reading { return o.read }

// noShift and shift are what is added to an odometer for Σ δ_m.
func noShift(float64) float64     { return 0 }
func shift(delta float64) float64 { return -math.Log1p(-min(delta, 1)) }

// added returns a reading times a factor, and what is added for the δ.
func added(read reading, shift func(delta float64) float64, factor float64) reading {
	return func(eps, delta []float64) float64 {
		if u := read(eps, delta); u < math.Inf(1) {
			return factor*u + shift(sum(delta))
		}
		return math.Inf(1)
	}
}

// testCase is an odometer against a menu of randomized responses.
type testCase struct {
	odometer
	menu   menu
	rounds int
}

// isPureCase and the others say which testCases are gone through; nil is for all of them.
func isPureCase(b testCase) bool { return pureSettings(setting{menu: b.menu}) }

func ofKind(kind string) func(testCase) bool { return func(b testCase) bool { return b.kind == kind } }

// theorem3Cases go to both ends: one round and hundreds, δ″ = 0, δ′ near 1, tiny δ′, tiny and huge parameters.
var theorem3Cases = []testCase{
	{odometer{"filter", 1. / 64, 1. / 64, 0.5}, menuOf("1/5 1/4"), 1},
	{odometer{"filter", 1. / 4, 1. / 16, 0.5}, menuOf("1/2 1/16", "1/5 0", "2 9/128"), 6},
	{odometer{"mixture", 1. / 4, 1. / 16, 0.1}, menuOf("1/2 1/16", "1/5 0", "2 9/128"), 6},
	{odometer{"stitched", 1. / 4, 1. / 16, 0.05}, menuOf("1/2 1/16", "1/5 0", "2 9/128"), 6},
	{odometer{"filter", 15. / 16, 1. / 32, 8}, menuOf("3 0", "1 1/32", "1/2 0"), 12},
	{odometer{"mixture", 15. / 16, 1. / 32, 1e-9}, menuOf("3 0", "1 1/32", "1/2 0"), 12},
	{odometer{"stitched", 15. / 16, 1. / 32, 1e-9}, menuOf("3 0", "1 1/32", "1/2 0"), 12},
	{odometer{"filter", 1e-9, 0, 100}, menuOf("1 0", "3 0"), 20},
	{odometer{"mixture", 1e-9, 0, 100}, menuOf("1 0", "3 0"), 20},
	{odometer{"filter", 0.3, 0, 2}, menuOf("1/20 0"), 900},
	{odometer{"filter", 1e-40, 0, 40}, menuOf("1/10 0"), 200},
	{odometer{"mixture", 1e-40, 0, 0.04}, menuOf("1/10 0"), 400},
	{odometer{"stitched", 1e-60, 0, 2}, menuOf("1/10 0"), 500},
}

// neverExceeds checks that no adversary exceeds what is read with a probability of more than δ′ + δ″.
func neverExceeds(of func(odometer) reading, shift func(delta float64) float64, factor float64,
	use func(testCase) bool) register.Check {
	return exceeds(theorem3Cases, of, shift, factor, use)
}

// testCasesDomain says what they are.
func testCasesDomain(testCases []testCase) string {
	least, most, rounds := 1.0, 0.0, 0
	for _, b := range testCases {
		least, most, rounds = min(least, b.delta1), max(most, b.delta1), max(rounds, b.rounds)
	}
	return fmt.Sprintf("%d odometers, δ′ from %g to %g, δ″ from 0 to 1/16, against menus of 1 to 3 randomized "+
		"responses, up to %d rounds", len(testCases), least, most, rounds)
}

func exceeds(testCases []testCase, of func(odometer) reading, shift func(delta float64) float64, factor float64,
	use func(testCase) bool) register.Check {
	return func(t *register.T) {
		t.Domain("%s", testCasesDomain(testCases))
		for _, b := range testCases {
			if use != nil && !use(b) {
				continue
			}
			t.Case()
			claim := b.delta1 + b.delta2
			worst, refuted := worstExcess(t, b.menu, b.rounds, odometerOf{b.menu, added(of(b.odometer), shift, factor)},
				new(big.Rat).SetFloat64(claim))
			if refuted {
				t.Refute("%v, up to %d rounds of %v: exceeded with probability %.6g, claimed is %.6g", b.odometer, b.rounds, b.menu,
					worst.Float().Lo, claim)
			}
			t.Close(worst.Float().Lo/claim, "%v, %d rounds of %v", b.odometer, b.rounds, b.menu)
		}
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
		t.Case()
		claim := new(big.Rat).SetFloat64(b.delta1 + b.delta2)
		rule := register.Must(impl.NewCurveRule(b.curve(), new(big.Rat).SetFloat64(b.delta1),
			new(big.Rat).SetFloat64(b.delta2)))
		got, _ := worstExcess(t, b.menu, b.rounds, rule, claim)
		want, _ := worstExcess(t, b.menu, b.rounds, odometerOf{b.menu, added(b.read, shift, 1)}, claim)
		if !near(got.Float().Lo, want.Float().Lo) {
			t.Refute("%v, up to %d rounds of %v: exceeded with probability %.12g by impl, %.12g by spec", b.odometer, b.rounds,
				b.menu, got.Float().Lo, want.Float().Lo)
		}
	}
}

// sure are odometers that read little for n mechanisms with the laws (1, 0) and (1 − δ, δ), for several n.
func sure(of func(v float64) []odometer, lengths ...int) (all []testCase) {
	for _, n := range lengths {
		eps := -math.Log1p(-0.1 / float64(n))
		for _, o := range of(float64(n) * eps * eps) {
			all = append(all, testCase{odometer: o, rounds: n})
		}
	}
	return all
}

// nearVariance are the odometers of Theorem 3 with parameters that make them tight near v.
func nearVariance(v float64) []odometer {
	return []odometer{{"filter", 0.1, 0.1, 2 * spec.AdvancedCharge(v, 0.1)}, {"mixture", 0.1, 0.1, v},
		{"stitched", 0.1, 0.1, v / 2}}
}

// isOdometer checks that, and that n mechanisms of which the loss is −ln(1 − δ) for sure do not exceed what is read.
func isOdometer(of func(odometer) reading, shift func(delta float64) float64, factor float64) register.Check {
	return func(t *register.T) {
		ofSureLosses(t, sure(nearVariance, 6, 3000), of, shift, factor)
		neverExceeds(of, shift, factor, nil)(t)
		t.AlsoDomain("n = 6 and 3000 mechanisms with the laws (1, 0) and (1 − δ, δ), δ = 1/(10n), at δ′ = δ″ = 1/10")
	}
}

func ofSureLosses(t *register.T, testCases []testCase, of func(odometer) reading, shift func(delta float64) float64,
	factor float64) {
	for _, b := range testCases {
		t.Case()
		var eps, delta []float64
		for range b.rounds {
			delta = append(delta, 0.1/float64(b.rounds)*(1-1e-12)) // their sum is at most δ″ in float64 too
			eps = append(eps, -math.Log1p(-0.1/float64(b.rounds)))
		}
		u := added(of(b.odometer), shift, factor)(eps, delta)
		if loss := sum(eps); loss > u*(1+1e-9) {
			t.Refute("%v: %d mechanisms with the laws (1, 0) and (1 − δ, δ), δ = 1/%d, have the loss %.6g for sure; it reads %.6g",
				b.odometer, b.rounds, 10*b.rounds, loss, u)
		}
		t.Close(sum(eps)/u, "%v, for %d mechanisms with the loss %.6g", b.odometer, b.rounds, eps[0])
	}
}

// odometersAgree checks that impl reads what spec does, plus −ln(1 − Σ δ_m), and not more than Σ ε_m.
func odometersAgree(t *register.T) { agree(t, "filter", "mixture", "stitched") }

func agree(t *register.T, kinds ...string) {
	for _, kind := range kinds {
		agreeAtEdges(t, kind)
	}
	t.Random(3, t.Size(300, 3000), func(t *register.T, d register.Dice) {
		o := odometer{kinds[d.Roll(len(kinds))], []float64{0.3, 0.1, 1e-6, 1e-40}[d.Roll(4)], float64(d.Roll(64)) / 1024,
			[]float64{2, 0.1, 1e-3, 100}[d.Roll(4)]}
		if o.kind == "original with log" {
			o.parameter = float64(2 + d.Roll(1000))
		}
		eps, delta := drawnRounds(d)
		e, deltas := forImpl(eps, delta)
		run := register.Must(impl.NewOdometer(o.curve(), new(big.Rat).SetFloat64(o.delta1),
			new(big.Rat).SetFloat64(o.delta2)))
		for i := range e {
			t.Must(run.Spend(e[i], deltas[i]))
		}
		got, want := run.Read().Eps, min(added(o.read, shift, 1)(eps, delta), sum(eps))
		if sum(delta) > o.delta2 {
			want = math.Inf(1)
		}
		if !near(got, want) && !near(squares(eps), o.parameter) {
			t.Refute("%v, ε = %v, δ = %v: by impl %.12g, by spec %.12g", o, eps, delta, got, want)
		}
		if o.kind == "filter" {
			level := 2 * math.Log(1/o.delta1)
			y := impl.TargetVariance(e[0], new(big.Rat).SetFloat64(o.delta1)).Float().Lo
			if want := spec.TargetVariance(2*eps[0], o.delta1); !(math.Abs(y-want) <= 1e-10*(level+y)) {
				t.Refute("δ′ = %g: y* for ε = %g is %.12g by impl, %.12g by spec for 2ε", o.delta1, eps[0], y, want)
			}
		}
	})
}

// agreeAtEdges checks what random rounds do not meet: a V where a curve changes, exactly and as a float64 around it,
// and a δ without an ε.
func agreeAtEdges(t *register.T, kind string) {
	t.Case()
	o := odometer{kind, 0.3, 0, 1}
	if kind == "original with log" {
		o.parameter = 10
	}
	eps := slices.Repeat([]float64{1. / 8}, 64) // V = 1
	e, deltas := forImpl(eps, make([]float64, 64))
	run := register.Must(impl.NewOdometer(o.curve(), rat.Of("3/10"), new(big.Rat)))
	for i := range e {
		t.Must(run.Spend(e[i], deltas[i]))
	}
	if got, want := run.Read().Eps, o.read(eps, make([]float64, 64)); !(math.Abs(got-want) <= 1e-9) {
		t.Refute("%v at V = 1: by impl %.12g, by spec %.12g", o, got, want)
	}
	log := interval.FloatOf(rat.Of("10/3")).Log()
	for _, edge := range []float64{1, 1. / 100} {
		below, above := interval.Point(edge*(1-1e-9)), interval.Point(edge*(1+1e-9))
		c := o.curve()
		if got, want := c.Charge(below.Hull(above), log), max(c.Charge(below, log), c.Charge(above, log)); got < want {
			t.Refute("%v for a V next to %g: by impl %.12g, less than %.12g", o, edge, got, want)
		}
	}
	v := interval.Point(2)
	if got, want := o.curve().Charge(v, log), o.curve().(enclosing).Enclose(v, log).Hi; got < want {
		t.Refute("%v at V = 2: by impl %.17g, less than its upper end %.17g", o, got, want)
	}
	once := register.Must(impl.NewOdometer(o.curve(), rat.Of("3/10"), new(big.Rat)))
	t.Must(once.Spend(loss.Nats(rat.Of("1/10")), new(big.Rat))) // no curve charges less
	if got := new(big.Rat).SetFloat64(once.Read().Eps); got.Cmp(rat.Of("1/10")) < 0 {
		t.Refute("%v after ε = 1/10: by impl %s", o, got)
	}
	leaks := register.Must(impl.NewOdometer(o.curve(), rat.Of("3/10"), rat.Of("1/100")))
	t.Must(leaks.Spend(loss.Nats(new(big.Rat)), rat.Of("1/50")))
	if got := leaks.Read().Eps; !math.IsInf(got, 1) {
		t.Refute("%v after a mechanism with ε = 0 and δ = 1/50, δ″ = 1/100: by impl %.12g, claimed is no ε", o, got)
	}
}

// breaksByDP checks that one mechanism that is (ε, δ)-DP exceeds each of the odometers of Theorem 3 by a tenth with a
// probability of more than δ′ + δ″.
func breaksByDP(shift func(delta float64) float64, expEps, delta string, delta1 float64) register.Check {
	return func(t *register.T) {
		t.Domain("the mechanism of FAC-X32, e^ε = %s, δ = δ″ = %s, δ′ = %g; y*, γ and v_0 near ε²", expEps, delta, delta1)
		e, leak := rat.Of(expEps), rat.Of(delta)
		low := rat.Quo(rat.Complement(leak), rat.Add(rat.One, e))
		high := rat.Complement(low)
		choice := exhaustive.Choice{Laws: [2][]*big.Rat{{high, low}, {low, high}}, Part: []int{0, 0}, ExpE: []*big.Rat{e},
			Delta: leak}
		needs, err := spec.SmallestDPDelta(map[string]*big.Rat{"1": high, "0": low}, map[string]*big.Rat{"1": low, "0": high},
			e)
		if t.Must(err); needs.Cmp(leak) > 0 {
			t.Undecided("it is not (ε, %s)-DP, but needs %s", delta, rat.Show(needs))
		}
		eps, d := math.Log(rat.Float64(e)), rat.Float64(leak)
		v := eps * eps
		for _, o := range []odometer{{"filter", delta1, d, 2 * spec.AdvancedCharge(v, delta1)}, {"mixture", delta1, d, v},
			{"stitched", delta1, d, v * 0.99}} {
			t.Case()
			u := o.read([]float64{eps}, []float64{d}) + shift(d)
			worst, _, err := exhaustive.WorstExcess(t.Context(), []exhaustive.Choice{choice}, 1,
				func(moves []exhaustive.Move, a, b *big.Rat) bool {
					return len(moves) > 0 && math.Log(rat.Float64(rat.Quo(a, b))) > u*1.1
				})
			if t.Must(err); rat.Float64(worst) <= delta1+d {
				t.Refute("%v: reads %.6g, exceeded with probability %s by a loss of %.6g", o, u, worst,
					math.Log(rat.Float64(rat.Quo(high, low))))
			}
		}
	}
}

// dependsOnVariance checks that the four odometers are infinite where it is said, and otherwise depend on a sum of the
// ε only.
func dependsOnVariance(isInfinite func(delta []float64, delta2 float64) bool,
	of func(eps []float64) float64) register.Check {
	return func(t *register.T) {
		t.Domain("random rounds, up to 30, with ε_m from 0 to 0.499 and δ_m from 0 to 7/1024; equal rounds with the same sum")
		t.Random(16, t.Size(300, 3000), func(t *register.T, d register.Dice) {
			eps, delta := drawnRounds(d)
			delta2 := float64(d.Roll(30)) / 1024
			pure := make([]float64, len(delta))
			alike := math.Sqrt(of(eps) / float64(len(eps)))
			for _, o := range []odometer{{"filter", 1e-6, delta2, 2}, {"mixture", 1e-6, delta2, 0.1},
				{"stitched", 1e-6, delta2, 1e-6}, {"original", 1e-6, delta2, 100}} {
				var same []float64
				for range eps {
					same = append(same, alike)
				}
				u, v := o.read(eps, delta), o.read(same, pure)
				if isInfinite(delta, delta2) != math.IsInf(u, 1) && !math.IsInf(v, 1) || !math.IsInf(u, 1) &&
					!(math.Abs(u-v) <= 1e-9*u) {
					t.Refute("%v, ε = %v, δ = %v: reads %.9g, and %.9g for δ = 0 and equal ε with the same sum", o, eps, delta, u, v)
				}
			}
		})
	}
}
