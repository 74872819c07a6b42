package ours

import (
	"math"
	"math/big"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// allocation is the statement on records that take part in one step of an epoch, which is drawn at random.
func allocation() register.Checks {
	return register.Checks{
		"OUR-L12": checked(register.All(epochsDominate(inOneStep), epochsOfNoise(spec.AllocationRatio)),
			near("a Poisson sample for each step, with as large a rate", epochsDominate(inSamples)),
			near("an epoch of a step more", epochsDominate(inOneMore)),
			near("the pair of a record that is removed for one that is added, too", epochsDominate(oneWay)),
			near("of noise, an epoch of a step more", epochsOfNoise(func(noise float64, x []float64) float64 {
				return spec.AllocationRatio(noise, append([]float64{0.5}, x...)) // where it loses nothing
			})),
			near("with 101/100 of the noise", epochsOfNoise(func(noise float64, x []float64) float64 {
				return spec.AllocationRatio(1.01*noise, x)
			}))),
	}
}

// epochPair is the pair that an epoch is said to have, for what one step shows of a record that is in it, and that is
// not; and for neighbours in the other order.
type epochPair = func(one finite.Pair, steps int) (removed, added finite.Pair)

func inOneStep(one finite.Pair, steps int) (removed, added finite.Pair) {
	p := epoch{one: one, steps: steps}.laws()
	return p, p.Back()
}

func inOneMore(one finite.Pair, steps int) (removed, added finite.Pair) {
	return inOneStep(one, steps+1)
}

func oneWay(one finite.Pair, steps int) (removed, added finite.Pair) {
	p, _ := inOneStep(one, steps)
	return p, p
}

func inSamples(one finite.Pair, steps int) (removed, added finite.Pair) {
	p := finite.Pair{{"": rat.One}, {"": rat.One}}
	for range steps {
		p = released(p, inSample(one, big.NewRat(1, int64(steps))))
	}
	return p, p.Back()
}

// epoch is a run of steps that each show a bit, of which one has a record in it. Steps may show less, as the outputs
// before say; and another record may turn the bit of the step that it is in, which nobody is told.
type epoch struct {
	one      finite.Pair
	steps    int
	less     func(before string) *big.Rat // the probability that a step shows nothing, but a 0; nil if all is shown
	isTurned bool
}

// laws returns those of all bits, with the record and without it.
func (e epoch) laws() finite.Pair {
	laws, others := finite.Pair{{}, {}}, 1
	if e.isTurned {
		others = e.steps
	}
	share := big.NewRat(1, int64(e.steps*others))
	for in := range e.steps {
		for other := range others {
			e.grow(laws, "", in, other, share, share)
		}
	}
	return laws
}

// grow adds what follows some bits, which have these probabilities with and without the record.
func (e epoch) grow(laws finite.Pair, bits string, in, other int, with, without *big.Rat) {
	if len(bits) == e.steps {
		laws[0].Add(bits, with)
		laws[1].Add(bits, without)
		return
	}
	turns := e.isTurned && len(bits) == other
	p, q := e.shows(bits, len(bits) == in, turns), e.shows(bits, false, turns)
	for _, bit := range []string{"0", "1"} {
		e.grow(laws, bits+bit, in, other, rat.Mul(with, p.Pr(bit)), rat.Mul(without, q.Pr(bit)))
	}
}

// shows returns the law of a bit.
func (e epoch) shows(before string, isIn, isTurned bool) finite.Law {
	law := e.one[1]
	if isIn {
		law = e.one[0]
	}
	if isTurned {
		law = law.Map(map[string]string{"0": "1", "1": "0"})
	}
	if e.less == nil {
		return law
	}
	x := e.less(before)
	return finite.Combine(rat.Complement(x), law, x, finite.Law{"0": rat.One})
}

// afterOnes says that steps show less after a 1: with a probability.
func afterOnes(x *big.Rat) func(before string) *big.Rat {
	return func(before string) *big.Rat {
		if before == "" || before[len(before)-1] == '0' {
			return new(big.Rat)
		}
		return x
	}
}

// epochsDominate compares epochs with the pair that they are said to have, at all orders. What shows all has as much.
var epochsDominate = finite.Over("steps in {1, 2, 3}, more in {1/2, 3/4, 1}, less in {0, 1/2, 1}, turned in {0, 1}; "+
	"steps that show a bit: 1 with the probability more if the record is in it, and 1/4 if not; after a 1 a step "+
	"shows nothing with the probability less; in one of the steps, each as likely, another record turns the bit",
	func(t *register.T, claim epochPair, steps int, more, less *big.Rat, turned int) {
		one := bit(more, rat.Of("1/4"))
		run := epoch{one, steps, afterOnes(less), turned == 1}.laws()
		removed, added := claim(one, steps)
		for i, x := range [][2]finite.Pair{{run, removed}, {run.Back(), added}} {
			if order := higher(x[0], x[1], new(big.Rat)); order != nil {
				t.Refute("order %d: at α = %s the epoch has %s, the pair %s", i+1, order, stick(x[0], order),
					stick(x[1], order))
			}
			if order := higher(x[1], x[0], new(big.Rat)); less.Sign() == 0 && turned == 0 && order != nil {
				t.Refute("order %d: at α = %s %s is enough, the pair has %s", i+1, order, stick(x[0], order),
					stick(x[1], order))
			}
		}
	})

// second are ways in which the length of what a record adds in the second step depends on the output of the first one.
var second = []func(y float64) float64{
	func(float64) float64 { return 1 },
	func(float64) float64 { return 0.5 },
	func(y float64) float64 { return math.Copysign(1, y) },
	math.Cos,
	func(y float64) float64 { return max(0, min(y, 1)) },
}

// epochsOfNoise compares epochs of two steps with Gaussian noise with the means of max(0, r − α) and max(0, 1 − α·r), r
// the ratio that is claimed, by quadrature. A record adds 1 in the first step, and in the second one what the output of
// the first says.
var epochsOfNoise = finite.Over("σ in {1/2, 1, 2}, way in {1, 2, 3, 4, 5}, α in {1/2, 1, 3/2, 3}; epochs of two steps "+
	"with Gaussian noise, of which the second may depend on the output of the first",
	func(t *register.T, ratio func(noise float64, x []float64) float64, sigma *big.Rat, way int, order *big.Rat) {
		const h, reach, rounding = 1.0 / 12, 7, 1e-9
		noise, alpha := rat.Float64(sigma), rat.Float64(order)
		density := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * h }
		var removed, added, mostRemoved, mostAdded float64
		for y := -float64(reach); y <= reach+1/noise; y += h { // multiples of the noise
			length := second[way-1](y*noise) / noise
			for z := -reach - 1/noise; z <= reach+1/noise; z += h {
				q := density(y) * density(z)
				p := (density(y-1/noise)*density(z) + density(y)*density(z-length)) / 2
				r := ratio(noise, []float64{y * noise, z * noise})
				removed, added = removed+max(0, p-alpha*q), added+max(0, q-alpha*p)
				mostRemoved, mostAdded = mostRemoved+q*max(0, r-alpha), mostAdded+q*max(0, 1-alpha*r)
			}
		}
		const off = 2e-3 // of the kinks
		t.Require(removed <= mostRemoved+off && added <= mostAdded+off,
			"δ is %.9g and %.9g, at most %.9g and %.9g was claimed", removed, added, mostRemoved, mostAdded)
		if way == 1 {
			t.Require(math.Abs(removed-mostRemoved)+math.Abs(added-mostAdded) <= rounding,
				"δ is %.9g and %.9g, %.9g and %.9g was claimed", removed, added, mostRemoved, mostAdded)
		}
	})
