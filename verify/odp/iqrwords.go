package odp

import (
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
	untested     bool    // no test
	limit        float64 // the limit of the test is larger by this
	ties         bool    // a noisy distance that is the limit passes
	noise        float64 // the noise on L is larger by this times it
	shifted      float64 // discretization 2 is shifted by more than 1/2 by this
	fromTheFirst bool    // M^D_2 uses the distance of M^D_1
}

// run returns the output of the discretizations js, one after the other until one answers.
func (w iqrWords) run(x []float64, js []int, eps, delta float64, random noise.Source) (value float64, ok bool) {
	for _, j := range js {
		if w.fromTheFirst {
			j = js[0]
		}
		noisy, limit := float64(w.distance(x, j))+random.Laplace(1/eps), 1+math.Log(1/delta)/eps+w.limit
		if noisy > limit || w.ties && noisy == limit || w.untested {
			return percentileRange(x) * math.Exp(random.Laplace((1+w.noise)/eps)*logBase(len(x))), true
		}
	}
	return 0, false
}

// logBase returns ln(1 + 1/ln n).
func logBase(n int) float64 { return math.Log(1 + 1/math.Log(float64(n))) }

// percentileRange returns the 75th minus the 25th percentile: the least records that a share of the records does not
// exceed.
func percentileRange(x []float64) float64 {
	percentile := func(quarters int) float64 {
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
	return percentile(3) - percentile(1)
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

// iqrProgram is a program of a room for the discretizations js.
type iqrProgram struct {
	name string
	js   []int
	run  func(x []*big.Rat, eps, delta *big.Rat, random noise.Source) (float64, bool, error)
}

// discretizedPrograms are those for M^D_1 and M^D_2.
var discretizedPrograms = []iqrProgram{specDiscretized(1), specDiscretized(2), implDiscretized(1), implDiscretized(2)}

func specDiscretized(j int) iqrProgram {
	return iqrProgram{"spec", []int{j},
		func(x []*big.Rat, eps, delta *big.Rat, random noise.Source) (float64, bool, error) {
			return spec.DiscretizedIQR(x, allValues(x), j, rat.Float64(eps), rat.Float64(delta), random)
		}}
}

func implDiscretized(j int) iqrProgram {
	return iqrProgram{"impl", []int{j},
		func(x []*big.Rat, eps, delta *big.Rat, random noise.Source) (float64, bool, error) {
			return impl.DiscretizedIQR(x, j, loss.Nats(eps), delta, random)
		}}
}

// privatePrograms are those for M_IQR.
var privatePrograms = []iqrProgram{
	{"spec", bothDiscretizations, func(x []*big.Rat, eps, delta *big.Rat, random noise.Source) (float64, bool, error) {
		return spec.PrivateIQR(x, allValues(x), rat.Float64(eps), rat.Float64(delta), random)
	}},
	{"impl", bothDiscretizations, func(x []*big.Rat, eps, delta *big.Rat, random noise.Source) (float64, bool, error) {
		return impl.PrivateIQR(x, loss.Nats(eps), delta, random)
	}},
}

// iqrRuns checks that programs do on tapes what the words say: as many draws, of the same scales, and the same output.
func iqrRuns(t *register.T, words iqrWords, programs []iqrProgram) {
	n := t.Size(200, 3000)
	t.AlsoDomain("%d tapes for runs on 2 to 6 random records, in two groups or one, and on 0, 0, 2, 7, 7, 7; ε in "+
		"{1/2, 1, 2, 3, 4}, δ in {1, 1/2, 1/5}; no scale of impl is below 1/ε", n)
	t.Random(16, n, func(t *register.T, d register.Dice) {
		groups := [2]int{d.Roll(40), d.Roll(40)}
		var x []*big.Rat
		for range []int{6, 5, 4, 3, 2}[d.Roll(5)] {
			x = append(x, rat.Int(groups[d.Roll(2)]+d.Roll(2)*d.Roll(8)))
		}
		if d.Roll(4) == 1 {
			x = iqrUnequal()
		}
		eps, delta := rat.List("1", "1/2", "2", "4", "3")[d.Roll(5)], rat.List("1", "1/2", "1/5")[d.Roll(3)]
		var draws []float64
		for range 3 {
			draws = append(draws, float64(d.Roll(17)-8)/4)
		}
		for _, p := range programs {
			first, second := &finite.Tape{Draws: draws}, &finite.Tape{Draws: draws}
			want, wantOK := words.run(rat.Floats(x), p.js, rat.Float64(eps), rat.Float64(delta), first)
			got, ok, err := p.run(x, eps, delta, second)
			t.Must(err)
			if p.name == "impl" {
				enoughNoise(t, second, eps, rat.One, rat.One, rat.One)
			}
			t.Require(ok == wantOK && sameDraws(first, second) && isNear(got, want, 1e-11),
				"%s, discretizations %v, records %s, ε = %s, δ = %s, draws %v: %.12g, %v with scales %.6g, claimed %.12g, %v with scales %.6g (false: ⊥)",
				p.name, p.js, x, eps, delta, draws, got, ok, second.Scales, want, wantOK, first.Scales)
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
			t.Require(moved <= rat.Float64(share), "%v, discretization %d: A_%d = %d, and L differs by %.6g", p, j+1, j+1,
				a, moved)
			t.Close(ninePlaces(moved), "%v, discretization %d", p, j+1)
		}
	}
}
