package verify

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"pgregory.net/rapid"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// world is a setting in which laws must hold: small problems with exact answers, or
// long ones with intervals.
type world struct {
	*rapid.T
	problem
	terms
}

func drawWorld(t *rapid.T) world {
	if rapid.Bool().Draw(t, "long") {
		return world{t, problems(multiples, 60).Draw(t, "problem"), multiples}
	}
	return world{t, problems(ratios, small).Draw(t, "problem"), ratios}
}

// Roll makes a world a Dice.
func (w world) Roll(n int) int { return search{w.T}.Roll(n) }

// solve returns what this world knows about a problem.
func (w world) solve(p problem) truths {
	if w.terms == ratios {
		return exactly(w, p)
	}
	return found(solve(w, p, impl.Options{}))
}

// change is one of a problem that moves OptDel up or down, if at all; or, with neither, no value.
type change struct {
	name  string
	moves int // 1 for up, −1 for down
	make  func(w world, p *problem)
}

var changes = []change{
	{"an ε or a δ is raised", 1, func(w world, p *problem) {
		m := &p.mechanisms[w.Roll(len(p.mechanisms))]
		if w.Roll(2) == 0 {
			m.eps = m.eps.plus(big.NewRat(int64(w.Roll(500)), 1000))
			return
		}
		m.delta = rat.Add(m.delta, rat.Mul(rat.Complement(m.delta), big.NewRat(int64(w.Roll(1001)), 1000)))
	}},
	{"a charge is raised", -1, func(w world, p *problem) {
		s := &p.stops[w.Roll(len(p.stops))]
		s.eps = s.eps.plus(big.NewRat(int64(w.Roll(500)), 1000))
	}},
	{"a stop goes, not the last", -1, func(w world, p *problem) {
		if n := len(p.stops); n > 1 {
			i := w.Roll(n - 1)
			p.stops = slices.Delete(p.stops, i, i+1)
		}
	}},
	{"a mechanism with ε = 0 and δ = 0 comes anywhere", 0, func(w world, p *problem) {
		at, late := w.Roll(w.length()+1), w.Roll(2) // late: a stop in this place comes before it
		p.mechanisms = slices.Insert(p.each(), at, mechanism{nothing(w.terms == ratios), rat.Of("0"), 1})
		for i := range p.stops {
			if s := &p.stops[i]; s.after+late > at || i == len(p.stops)-1 {
				s.after++
			}
		}
	}},
	{"it is put in other words", 0, func(w world, p *problem) { *p = p.reworded(w) }},
}

// shuffle changes the order of mechanisms.
func shuffle(d register.Dice, part []mechanism) {
	for i := len(part) - 1; i > 0; i-- {
		j := d.Roll(i + 1)
		part[i], part[j] = part[j], part[i]
	}
}

// check checks that on a random problem.
func (c change) check(t *rapid.T) {
	w := drawWorld(t)
	p := w.clone()
	c.make(w, &p)
	before, after := w.solve(w.problem), w.solve(p)
	for what, x := range before {
		y := after[what]
		if what != "OptDel" && c.moves != 0 {
			continue
		}
		if c.moves >= 0 && !x.atMost(y) || c.moves <= 0 && !y.atMost(x) {
			t.Errorf("%s: %s of %v is %s, of %v %s", c.name, what, w.problem, x, p, y)
		}
	}
}

// propFallingCharges: if no charge is above an earlier one, stopping early never pays.
func propFallingCharges(t *rapid.T) {
	w := drawWorld(t)
	var charges []number
	for _, s := range w.stops {
		charges = append(charges, s.eps)
	}
	slices.SortFunc(charges, func(x, y number) int { return compare(y, x) })
	p := w.clone()
	for i := range p.stops {
		p.stops[i].eps = charges[i]
	}
	v := w.solve(p)
	if last := v[fmt.Sprint("SingleStop ", len(charges))]; !v["OptDel"].meets(last) {
		t.Errorf("%v: OptDel is %s, the last stop alone %s", p, v["OptDel"], last)
	}
}

// propOrder: the largest single stop ≤ OptDel ≤ Lemma 11, their sum; and a stop by itself is a problem that ends there.
func propOrder(t *rapid.T) {
	w := drawWorld(t)
	v := w.solve(w.problem)
	sum := span{new(big.Rat), new(big.Rat)}
	for i := range w.stops {
		x := v[fmt.Sprint("SingleStop ", i+1)]
		if !x.atMost(v["OptDel"]) {
			t.Errorf("%v: stop %d alone is %s, OptDel %s", w.problem, i+1, x, v["OptDel"])
		}
		sum.lo.Add(sum.lo, x.lo)
		sum.hi.Add(sum.hi, x.hi)
	}
	if !v["OptDel"].atMost(v["Lemma11"]) || !v["Lemma11"].meets(sum) {
		t.Errorf("%v: OptDel is %s, Lemma 11 %s, the sum of single stops %s", w.problem, v["OptDel"], v["Lemma11"], sum)
	}
	i := w.Roll(len(w.stops))
	alone := problem{w.each()[:w.stops[i].after], w.stops[i : i+1]}
	for what, y := range w.solve(alone) {
		if x := v[fmt.Sprint("SingleStop ", i+1)]; !y.meets(x) {
			t.Errorf("%v: stop %d alone is %s, the %s of %v is %s", w.problem, i+1, x, what, alone, y)
		}
	}
}

// checkWidths: intervals of every width, by every method, hold the same number.
// A wide interval gives away mass on purpose, and must say so.
func checkWidths(t reporter, p problem) {
	want := found(solve(t, p, impl.Options{}))
	for _, o := range []impl.Options{{RelWidth: 0.5}, {RelWidth: 1e-3}, {RelWidth: 1e-15},
		{Method: impl.Bracket, RelWidth: 0.5}, {Method: impl.Bracket, RelWidth: 1e-2}} {
		checkTruth(t, p, o, solve(t, p, o), want)
	}
}

// checkPlain: impl agrees with backward and forward induction in their plainest form.
func checkPlain(t reporter, p problem) {
	checkTruth(t, p, auto, solve(t, p, auto), truth(t, p, multiples))
}

// propRule: the stopping rule that comes with an answer attains it, with the
// probabilities that it states. Every run is followed.
func propRule(t *rapid.T) {
	p, _ := someProblem(t, small, ratios, decimals, mixed)
	checkRule(t, p)
}

func checkRule(t reporter, p problem) {
	r := solve(t, p, auto)
	rule, err := exhaustive.EvaluateRule(t.Context(), p.exhaustive(), losses(r.Rule))
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	checkAttained(t, p, r, spanOf(rule.Value))
	checkContributions(t, p, r)
	for i, end := range rule.Ends {
		want, _ := end.Lo.Float64()
		checkProbability(t, p, r.Rule, i, want)
	}
}

// checkAttained holds what a rule attains against OptDel.
func checkAttained(t reporter, p problem, r *impl.Result, attained span) {
	if !attained.meets(found(r)["OptDel"]) {
		t.Errorf("%v: OptDel is in [%.20g, %.20g], the rule %v attains %s",
			p, r.OptDel.Lower, r.OptDel.Upper, r.Rule, attained)
	}
}

// checkContributions: what the stops contribute adds up to OptDel, and is at most what a stop alone needs.
func checkContributions(t reporter, p problem, r *impl.Result) {
	sum := 0.0
	for i, line := range r.Rule {
		sum += line.Contribution
		if alone := r.SingleStop[i].Float().Hi; !(line.Contribution >= 0 && line.Contribution <= alone*(1+1e-12)) {
			t.Errorf("%v: stop %d of the rule contributes %g, and needs %g alone", p, i+1, line.Contribution, alone)
		}
	}
	if low := r.OptDel.Float().Lo; !(math.Abs(sum-low) <= 1e-9*low) {
		t.Errorf("%v: OptDel is at least %g, and the stops of %v contribute %g", p, low, r.Rule, sum)
	}
}

// checkLongRule: the same, by the plain walk.
func checkLongRule(t reporter, p problem) {
	r := solve(t, p, auto)
	value, ends := follow(p, losses(r.Rule))
	checkAttained(t, p, r, about(value))
	for i, want := range ends {
		checkProbability(t, p, r.Rule, i, want)
	}
}

// about returns the numbers that x, computed by [follow], can stand for.
func about(x float64) span { return around(new(big.Rat).SetFloat64(x), plainError, "1e-300") }

// losses returns the thresholds of a rule.
func losses(rule []impl.Threshold) []float64 {
	out := make([]float64, len(rule))
	for i, line := range rule {
		out[i] = line.LossAtLeast
	}
	return out
}

func checkProbability(t reporter, p problem, rule []impl.Threshold, i int, want float64) {
	if got := rule[i].Probability; math.Abs(got-want) > probabilityError {
		t.Errorf("%v: the rule %v ends at stop %d with probability %g, followed: %g", p, rule, i+1, got, want)
	}
}

// A rule of the bracket is a good one, not the best, and its probabilities are those
// of merged losses: whatever it attains is not above OptDel.
func checkBracketRule(t reporter, p problem) {
	r := solve(t, p, bracket)
	value, _ := follow(p, losses(r.Rule))
	if attained := about(value); !attained.atMost(found(r)["OptDel"]) {
		t.Errorf("%v: OptDel is at most %.20g, the rule %v attains %s", p, r.OptDel.Upper, r.Rule, attained)
	}
}
