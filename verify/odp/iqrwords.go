package odp

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// iqrWords is M^D_j, or several of them until one answers, once more: from the words, in float64, for few records
// that are small integers. It says what is different in it: nothing, if it is zero.
type iqrWords struct {
	noise        float64 // the noise on L is larger by this times it
	shifted      float64 // discretization 2 is shifted by more than 1/2 by this
	fromTheFirst bool    // M^D_2 uses the distance of M^D_1
	tails        bool    // the coin for the order is turned around
}

// run returns the output of the discretizations js, one after the other until one answers; of none, both
// in random order.
func (w iqrWords) run(x []float64, js []int, eps, delta float64,
	random noise.Source) (value float64, ok bool, err error) {
	if js == nil {
		js = []int{1, 2}
		if random.Laplace(1) < 0 != w.tails {
			js = []int{2, 1}
		}
	}
	for _, j := range js {
		if w.fromTheFirst {
			j = js[0]
		}
		noisy, limit := float64(w.distance(x, j))+random.Laplace(1/eps), 1+math.Log(1/delta)/eps
		if noisy > limit {
			r, z := percentileRange(x), random.Laplace((1+w.noise)/eps)
			if r > 0 {
				r = min(r*math.Exp(z*logBase(len(x))), math.MaxFloat64)
			}
			return r, true, nil
		}
	}
	return 0, false, nil
}

// logBase returns ln(1 + 1/ln n).
func logBase(n int) float64 { return math.Log(1 + 1/math.Log(float64(n))) }

// percentileRange returns the 75th minus the 25th percentile: the least records that a share of the records does not
// exceed.
func percentileRange(x []float64) float64 {
	ranked := func(quarters int) float64 {
		least := math.Inf(1)
		for _, v := range x {
			atMost := 0
			for _, r := range x {
				if r <= v {
					atMost++
				}
			}
			if 4*atMost >= quarters*len(x) {
				least = min(least, v)
			}
		}
		return least
	}
	return ranked(3) - ranked(1)
}

// bin returns the bin of discretization j that L is in.
func (w iqrWords) bin(x []float64, j int) float64 {
	l := math.Log(percentileRange(x)) / logBase(len(x))
	return math.Floor(l + float64(j-1)*(0.5+w.shifted))
}

// distance returns A_j for up to 8 records, of which two, ⌈n/4⌉, are always enough. As one record moves, the range is
// piecewise linear, and its ends are at the other records or beyond them.
func (w iqrWords) distance(x []float64, j int) int {
	if len(x) > 8 {
		panic("internal error: more than 8 records")
	}
	home := w.bin(x, j)
	for i := range x {
		for _, v := range append(slices.Clone(x), -1e9, 1e9) {
			y := slices.Clone(x)
			y[i] = v
			if w.bin(y, j) != home {
				return 1
			}
		}
	}
	return 2
}

// iqrPrograms are M^D_j or, with several discretizations, M_IQR of both rooms; without any, in random order.
type iqrPrograms struct {
	js   []int
	spec func(x, values []*big.Rat, eps, delta float64, random spec.Noise) (float64, bool, error)
	impl func(x []*big.Rat, eps loss.Epsilon, delta *big.Rat, random noise.Source) (float64, bool, error)
}

// discretizedProgram is M^D_j.
func discretizedProgram(j int) iqrPrograms {
	bySpec := func(x, values []*big.Rat, eps, delta float64, random spec.Noise) (float64, bool, error) {
		return spec.DiscretizedIQR(x, values, j, eps, delta, random)
	}
	byImpl := func(x []*big.Rat, eps loss.Epsilon, delta *big.Rat, random noise.Source) (float64, bool, error) {
		return impl.DiscretizedIQR(x, j, eps, delta, random)
	}
	return iqrPrograms{[]int{j}, bySpec, byImpl}
}

// M^D_1 and M^D_2, M_IQR, and M_IQR in random order.
var (
	discretizedPrograms = []iqrPrograms{discretizedProgram(1), discretizedProgram(2)}
	privatePrograms     = []iqrPrograms{{bothDiscretizations, spec.PrivateIQR, impl.PrivateIQR}}
	orderedPrograms     = []iqrPrograms{{nil, spec.RandomOrderIQR, impl.RandomOrderIQR}}
)

// iqrRuns checks that programs do on tapes what the words say: as many draws, of the same scales, and the same output.
func iqrRuns(t *register.T, words iqrWords, programs []iqrPrograms) {
	n := t.Size(100, 3000)
	t.AlsoDomain("%d tapes for runs on 2 to 6 random records, in two groups or one, and on 0, 0, 2, 7, 7, 7; "+
		"ε in {1/1000, 1/2, 1, 2, 3}, δ in {1, 1/2, 1/5}; no scale of impl is below 1/ε", n)
	t.Random(16, n, func(t *register.T, d register.Dice) {
		groups := [2]int{d.Roll(40), d.Roll(40)}
		var x []*big.Rat
		for range []int{6, 5, 4, 3, 2}[d.Roll(5)] {
			x = append(x, rat.Int(groups[d.Roll(2)]+d.Roll(2)*d.Roll(8)))
		}
		if d.Roll(4) == 1 {
			x = iqrUnequal()
		}
		eps, delta := rat.List("1", "1/2", "2", "1/1000", "3")[d.Roll(5)], rat.List("1", "1/2", "1/5")[d.Roll(3)]
		var draws []float64
		for range 3 {
			draws = append(draws, float64(d.Roll(17)-8)/4)
		}
		for _, p := range programs {
			t.In("discretizations %v, records %s, ε = %s, δ = %s", p.js, x, eps, delta)
			var least []*big.Rat
			if p.js != nil {
				least = slices.Repeat([]*big.Rat{rat.Quo(rat.One, eps)}, 3)
			}
			alike(t, draws, func(random noise.Source) ([]float64, error) {
				return answer(words.run(rat.Floats(x), p.js, rat.Float64(eps), rat.Float64(delta), random))
			}, func(random noise.Source) ([]float64, error) {
				return answer(p.spec(x, allValues(x), rat.Float64(eps), rat.Float64(delta), random))
			}, func(random noise.Source) ([]float64, error) {
				return answer(p.impl(x, loss.Nats(eps), delta, random))
			}, least...)
		}
	})
}

// binBoundsSensitivity checks that L differs by at most a share of 1, the proposed bound, from that of a neighbour, if
// A_j ≥ 2.
func binBoundsSensitivity(t *register.T, share *big.Rat) {
	wide := iqrPair{withDistances(iqrRepeated([][2]int64{{2, 0}, {1, 46}, {3, 131}})),
		withDistances(iqrRepeated([][2]int64{{1, 0}, {1, 46}, {4, 131}}))}
	t.Domain("%s; %v", iqrDatabases(t), wide)
	for _, p := range append(slices.Clip(iqrPairs(t)), wide) {
		x, y := rat.Floats(p[0].records), rat.Floats(p[1].records)
		if len(x) > 8 {
			continue
		}
		for j, a := range p[0].a { // as distancesAgree finds them
			t.Case()
			r, s := percentileRange(x), percentileRange(y)
			if a < 2 || r == 0 && s == 0 {
				continue
			}
			moved := math.Abs(math.Log(r/s)) / logBase(len(x))
			t.In("%v, discretization %d", p, j+1)
			t.Require(moved <= rat.Float64(share), "A_%d = %d, and L differs by %.6g", j+1, a, moved)
			t.Close(ninePlaces(moved), "")
		}
	}
}

// definition9 says how the conditions of PTR functions read: what is not as printed, if it is not zero.
type definition9 struct {
	less   *big.Rat // e^(2ε) in condition 3 and e^ε in condition 2 are multiplied by this
	double bool     // condition 2 has e^(2ε) for ≠ ⊥
	share  *big.Rat // δ in condition 4 is multiplied by this
	oneWay bool     // x' comes after x only
	strict bool     // condition 4 has <
}

// decides checks that spec and impl decide the conditions, going through all sets G(T, x) and C'.
func (d definition9) decides(t *register.T) {
	n, m := t.Size(4, 5), t.Size(300, 20000)
	t.Domain("spec and impl against the four conditions, with every G(T, x) and every C': "+
		"all functions with one bound, two databases, outputs a, b, ⊥ and probabilities %s; (e^ε, δ) in {%s}; "+
		"%d random ones with three databases, the first and last of which are no neighbours, and two bounds; "+
		"T(x, ⊥) = a for one of three, else always ⊥", inUnits(n), showTerms(ptrTerms), m)
	for _, terms := range ptrTerms {
		for p := range bottomPairs(n) {
			t.Case()
			d.decide(t, asPTR(p), terms[0], terms[1])
		}
	}
	for faulty := range 3 { // condition 1 alone fails, for one database
		t.Case()
		d.decide(t, inARow(func(x int, s string) finite.Law {
			if s == "⊥" && x == faulty {
				return seldomA
			}
			return alwaysBottom
		}), rat.Of("2"), rat.Half)
	}
	eighths := func(x int, s string) finite.Law { // only the ends of the row break condition 2
		if s == "⊥" {
			return alwaysBottom
		}
		return finite.Law{"a": big.NewRat(1<<x, 8), "⊥": big.NewRat(8-1<<x, 8)}
	}
	d.decide(t, inARow(eighths), rat.Of("2"), rat.Half)
	halves := func(x int, s string) finite.Law { // only condition 4 fails
		if s == "⊥" {
			return alwaysBottom
		}
		return finite.Law{finite.Name(x): rat.Half, "⊥": rat.Half}
	}
	d.decide(t, inARow(halves), rat.Of("2"), rat.Of("0.499"))
	t.Random(5, m, func(t *register.T, dice register.Dice) {
		table := randomPTR(dice)
		d.decide(t, table, rat.List("1", "3/2", "2", "3", "10")[dice.Roll(5)], big.NewRat(int64(dice.Roll(5)), 4))
	})
}

var (
	alwaysBottom = finite.Law{"⊥": rat.One}
	seldomA      = finite.Law{"⊥": big.NewRat(3, 4), "a": big.NewRat(1, 4)}
)

// inARow returns a function of three databases in a row, with two bounds.
func inARow(law func(x int, s string) finite.Law) spec.PTR {
	table := spec.PTR{Neighbours: [][2]int{{0, 1}, {1, 2}}}
	for x := range 3 {
		table.Law = append(table.Law,
			map[string]map[string]*big.Rat{"r": law(x, "r"), "s": law(x, "s"), "⊥": law(x, "⊥")})
	}
	return table
}

// randomPTR returns such a function.
func randomPTR(d register.Dice) spec.PTR {
	return inARow(func(_ int, s string) finite.Law {
		switch {
		case s != "⊥":
			return bottomLaw(d)
		case d.Roll(40) == 1:
			return seldomA
		}
		return alwaysBottom
	})
}

// bottomLaw returns a law on a, b, ⊥ with probabilities in quarters, few of them 0.
func bottomLaw(d register.Dice) finite.Law {
	counts := [][3]int64{{1, 1, 2}, {1, 2, 1}, {2, 1, 1}, {0, 1, 3}, {1, 0, 3}, {0, 0, 4}, {2, 2, 0}}[d.Roll(7)]
	law := finite.Law{}
	for i, output := range []string{"a", "b", "⊥"} {
		if counts[i] > 0 {
			law[output] = big.NewRat(counts[i], 4)
		}
	}
	return law
}

func (d definition9) decide(t *register.T, table spec.PTR, expEps, delta *big.Rat) {
	want := d.holds(table, expEps, delta)
	bySpec := register.Must(spec.IsPTR(table, expEps, delta))
	byImpl := breaks(table, expEps, delta)
	if bySpec != want || (byImpl == nil) != want {
		var laws []finite.Law
		for _, rows := range table.Law {
			for _, s := range slices.Sorted(maps.Keys(rows)) {
				laws = append(laws, rows[s])
			}
		}
		t.Refute("e^ε = %s, δ = %s, %d databases in a row, laws for the bounds in their order %v: the conditions "+
			"hold: %v, by spec %v, by impl %v", expEps, delta, len(table.Law), laws, want, bySpec, byImpl == nil)
	}
}

// holds goes through the conditions. There is a G(T, x) if condition 3 or 4 holds for each bound.
func (d definition9) holds(table spec.PTR, expEps, delta *big.Rat) bool {
	for x, rows := range table.Law {
		for s, law := range rows {
			p := finite.Law(law)
			if s == "⊥" {
				if !rat.Equal(p.Pr("⊥"), rat.One) { // 1
					return false
				}
				continue
			}
			answers := rat.Complement(p.Pr("⊥")).Cmp(part(d.share, delta))
			isRare := answers < 0 || answers == 0 && !d.strict // 4
			for _, other := range d.others(table, x) {
				p1 := finite.Law(table.Law[other][s])
				if !d.condition2(p, p1, expEps) || !isRare && !d.condition3(p, p1, expEps) {
					return false
				}
			}
		}
	}
	return true
}

// others returns the x' of x.
func (d definition9) others(table spec.PTR, x int) (all []int) {
	for _, pair := range table.Neighbours {
		if pair[0] == x {
			all = append(all, pair[1])
		} else if pair[1] == x && !d.oneWay {
			all = append(all, pair[0])
		}
	}
	return all
}

func (d definition9) condition2(p, p1 finite.Law, expEps *big.Rat) bool {
	ofBottom := part(d.less, expEps)
	ofValues := ofBottom
	if d.double {
		ofValues = rat.Mul(ofBottom, expEps)
	}
	bottom, bottom1 := p.Pr("⊥"), p1.Pr("⊥")
	return bottom.Cmp(rat.Mul(ofBottom, bottom1)) <= 0 &&
		rat.Complement(bottom).Cmp(rat.Mul(ofValues, rat.Complement(bottom1))) <= 0
}

// condition3 is about a and b each: a C' that exceeds has an output that does.
func (d definition9) condition3(p, p1 finite.Law, expEps *big.Rat) bool {
	e := part(d.less, rat.Power(expEps, 2))
	return p.Pr("a").Cmp(rat.Mul(e, p1.Pr("a"))) <= 0 && p.Pr("b").Cmp(rat.Mul(e, p1.Pr("b"))) <= 0
}
