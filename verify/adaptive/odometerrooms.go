package adaptive

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// rulesAgree checks that the rule of impl is exceeded as often as the odometer of spec with −ln(1 − Σ δ_m) added, where
// Σ δ_m can be δ″ to the last bit.
func rulesAgree(t *register.T) {
	t.AlsoDomain("the odometers with δ″ > 0 as rules of impl against the same menus, some with δ_m = δ″")
	for _, b := range theorem3Cases {
		if b.delta2 == 0 {
			continue
		}
		t.At("%v, up to %d rounds of %v", b.odometer, b.rounds, b.menu)
		claim := b.delta1 + b.delta2
		rule := register.Must(impl.NewCurveRule(b.curve(), exact(b.delta1), exact(b.delta2)))
		got, _ := worstExcess(t, b.menu, b.rounds, rule, claim)
		want, _ := worstExcess(t, b.menu, b.rounds, odometerOf{b.menu, odometerClaim{shift: 1}.reading(b.odometer)}, claim)
		agree(t, "how often it is exceeded", got, want)
	}
}

// odometersAgree checks that impl reads what spec does, plus −ln(1 − Σ δ_m), and not more than Σ ε_m.
func odometersAgree(t *register.T) { kindsAgree(t, "filter", "mixture", "stitched") }

// run returns what an odometer of impl with a curve reads after some rounds.
func (o odometer) run(t *register.T, delta1, delta2 *big.Rat, eps []loss.Epsilon, deltas []*big.Rat) float64 {
	run := register.Must(impl.NewOdometer(o.curve(), delta1, delta2))
	for i := range eps {
		t.Must(run.Spend(eps[i], deltas[i]))
	}
	return run.Read().Eps
}

func kindsAgree(t *register.T, kinds ...string) {
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
		got := o.run(t, exact(o.delta1), exact(o.delta2), e, deltas)
		want := min(odometerClaim{shift: 1}.reading(o)(eps, delta), sum(eps))
		if sum(delta) > o.delta2 {
			want = math.Inf(1)
		}
		t.Require(near(got, want) || near(squares(eps), o.parameter), "%v, ε = %v, δ = %v: by impl %.12g, by spec %.12g", o,
			eps, delta, got, want)
		if o.kind == "filter" {
			level := 2 * math.Log(1/o.delta1)
			y, want := impl.TargetVariance(e[0], exact(o.delta1)).Float().Lo, spec.TargetVariance(2*eps[0], o.delta1)
			t.Require(math.Abs(y-want) <= 1e-10*(level+y), "δ′ = %g: y* for ε = %g is %.12g by impl, %.12g by spec for 2ε",
				o.delta1, eps[0], y, want)
		}
	})
}

// agreeAtEdges checks what random rounds do not meet: a V where a curve changes, exactly and as a float64 around it,
// and a δ without an ε.
func agreeAtEdges(t *register.T, kind string) {
	o := odometer{kind, 0.3, 0, 1}
	if kind == "original with log" {
		o.parameter = 10
	}
	t.At("%v", o)
	delta1, none := rat.Of("3/10"), new(big.Rat)
	eps := slices.Repeat([]float64{1. / 8}, 64) // V = 1
	e, deltas := forImpl(eps, make([]float64, 64))
	got, want := o.run(t, delta1, none, e, deltas), o.read(eps, make([]float64, 64))
	t.Require(math.Abs(got-want) <= 1e-9, "at V = 1: by impl %.12g, by spec %.12g", got, want)
	log, c := interval.FloatOf(rat.Of("10/3")).Log(), o.curve()
	for _, edge := range []float64{1, 1. / 100} {
		below, above := interval.Point(edge*(1-1e-9)), interval.Point(edge*(1+1e-9))
		got, want := c.Charge(below.Hull(above), log), max(c.Charge(below, log), c.Charge(above, log))
		t.Require(got >= want, "for a V next to %g: by impl %.12g, less than %.12g", edge, got, want)
	}
	got, want = c.Charge(interval.Point(2), log), c.(enclosing).Enclose(interval.Point(2), log).Hi
	t.Require(got >= want, "at V = 2: by impl %.17g, less than its upper end %.17g", got, want)
	tenth := rat.Of("1/10") // no curve charges less
	got = o.run(t, delta1, none, []loss.Epsilon{loss.Nats(tenth)}, []*big.Rat{none})
	t.Require(exact(got).Cmp(tenth) >= 0, "after ε = 1/10: by impl %g", got)
	got = o.run(t, delta1, rat.Of("1/100"), []loss.Epsilon{loss.Nats(none)}, []*big.Rat{rat.Of("1/50")})
	t.Require(math.IsInf(got, 1), "after a mechanism with ε = 0 and δ = 1/50, δ″ = 1/100: by impl %.12g, claimed is no ε",
		got)
}
