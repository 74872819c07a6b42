package ours

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// exactNoise are the statements of docs/exact-noise.md. The law of an exact sampler comes from going through all draws.
// What is less probable than a bound is left out, and added up as the rest.
func exactNoise() register.Checks {
	const less = "1 has 19/20 of its probability"
	return register.Checks{
		"OUR-A1": finite.Tight(samplers[0].hasLaw, "19/20", less),
		"OUR-A2": finite.Tight(samplers[1].hasLaw, "19/20", less),
		"OUR-A3": finite.Tight(samplers[2].hasLaw, "19/20", less),
		"OUR-T5": finite.Tight(discreteLaplaceLoses(), "19/20", "it is 19/20·ε-DP"),
		"OUR-T6": finite.Tight(discreteGaussianNeeds(), "19/20", "19/20·δ is enough"),
	}
}

// precise is the arithmetic of masses.
const precise = interval.Precision(200)

// oneRound ends when the sampler starts from new: only its first draw is a uniform number.
type oneRound struct {
	*finite.Coins
	started bool
}

// restarts is what it ends with.
type restarts struct{}

func (r *oneRound) Below(n *big.Int) *big.Int {
	if r.started {
		panic(restarts{})
	}
	r.started = true
	return r.Coins.Below(n)
}

// sampler is one in both rooms: one round has mass(x, output) for an output.
type sampler struct {
	parameters []string
	spec       func(x *big.Rat, c spec.Coins) int64
	impl       func(x *big.Rat, s rand.Source) int64
	mass       func(x *big.Rat, output int64) interval.Interval
}

var samplers = []sampler{
	{[]string{"11/4", "1/3", "0", "3/4", "1", "3/2", "2"},
		func(x *big.Rat, c spec.Coins) int64 { return oneIf(register.Must(spec.BernoulliExp(x, c))) },
		func(x *big.Rat, s rand.Source) int64 { return oneIf(register.Must(noise.BernoulliExp(x, s))) },
		bernoulliMass},
	{[]string{"5/3", "2/5", "1", "2", "5", "1/2", "3/2"},
		func(x *big.Rat, c spec.Coins) int64 { return register.Must(spec.DiscreteLaplace(x, c)).Int64() },
		func(x *big.Rat, s rand.Source) int64 { return register.Must(noise.DiscreteLaplace(x, s)).Int64() },
		laplaceMass},
	{[]string{"1/2", "13/10", "1", "2", "9/2"},
		func(x *big.Rat, c spec.Coins) int64 { return register.Must(spec.DiscreteGaussian(x, c)).Int64() },
		func(x *big.Rat, s rand.Source) int64 { return register.Must(noise.DiscreteGaussian(x, s)).Int64() },
		gaussianMass},
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// bernoulliMass is e^−γ for 1.
func bernoulliMass(gamma *big.Rat, x int64) interval.Interval {
	p := precise.ExpRat(new(big.Rat).Neg(gamma))
	switch x {
	case 0:
		return precise.Sub(precise.Int(1), p)
	case 1:
		return p
	}
	return precise.Int(0)
}

// laplaceMass is what a round of Algorithm 2 gives to x: 1/2t·(1 − e^−1)·Σ e^(−X/t) over the X with ⌊X/s⌋ = |x|.
func laplaceMass(scale *big.Rat, x int64) interval.Interval {
	s, t := scale.Denom().Int64(), scale.Num().Int64()
	n, sum := precise, precise.Int(0)
	for i := range s {
		sum = n.Add(sum, n.ExpRat(big.NewRat(-(max(x, -x)*s+i), t)))
	}
	return n.Mul(n.Mul(sum, n.Sub(n.Int(1), n.ExpRat(rat.Of("-1")))), n.Rat(big.NewRat(1, 2*t)))
}

// gaussianMass is proportional to e^(−x²/2σ²): with u = 1/2t·(1 − e^−1), it is u·e^(−x²/2σ²)·e^(−σ²/2t²).
func gaussianMass(sigma2 *big.Rat, x int64) interval.Interval {
	sigma, _ := sigma2.Float64()
	t := int64(math.Sqrt(sigma)) + 1
	n, twice := precise, rat.Add(sigma2, sigma2)
	exponent := rat.Add(rat.Quo(big.NewRat(x*x, 1), twice), rat.Quo(sigma2, big.NewRat(2*t*t, 1)))
	unit := n.Mul(n.Sub(n.Int(1), n.ExpRat(rat.Of("-1"))), n.Rat(big.NewRat(1, 2*t)))
	return n.Mul(unit, n.ExpRat(exponent.Neg(exponent)))
}

// hasLaw checks that in one round, from its first draw to an output or to where it starts again, each output of the
// sampler of spec has its mass, 1 a share of it; and that impl makes the same of the words at both ends of each branch
// and, where words do not hold the parameter or its products, of random ones.
func (s sampler) hasLaw(t *register.T, share *big.Rat) {
	parameters := s.parameters[:t.Size(1, len(s.parameters))]
	t.Domain("parameters %s, all paths of draws that are as probable as 1e-6; "+
		"larger by 1/4294967290, 1e-18 or 1e-30, 100 seeds", parameters)
	for _, text := range parameters {
		t.At("%s", text)
		x, law := rat.Of(text), map[int64]*big.Rat{}
		for seed := range uint64(100) {
			random := func() rand.Source { return rand.NewPCG(seed, 2) }
			for _, more := range rat.List("1/4294967290", "1e-18", "1e-30") {
				y := rat.Add(x, more)
				again, output := s.impl(y, random()), s.spec(y, noise.Coins{Source: random()})
				t.Require(again == output, "%s, seed %d: impl returns %d, spec %d", y, seed, again, output)
			}
		}
		rest := finite.GoThrough(rat.Of("1e-6"), func(c *finite.Coins) {
			defer func() {
				if r := recover(); r != nil && r != (restarts{}) {
					panic(r)
				}
			}()
			output := s.spec(x, &oneRound{Coins: c})
			if law[output] == nil {
				law[output] = new(big.Rat)
			}
			law[output].Add(law[output], c.Pr)
			for _, lower := range []bool{true, false} {
				tape := &finite.WordTape{Words: finite.Words(c.Path, lower)}
				again := s.impl(x, tape)
				t.Require(again == output && len(tape.Words) == 0, "impl returns %d and leaves %d words, spec %d",
					again, len(tape.Words), output)
			}
		})
		t.Require(rest.Cmp(rat.Of("4e-3")) <= 0, "%s is left", rest)
		for y := int64(-8); y <= 8; y++ {
			found, mass := new(big.Rat), s.mass(x, y)
			if law[y] != nil {
				found.Set(law[y])
			}
			if y == 1 {
				mass = precise.Mul(precise.Rat(share), mass)
			}
			lower, upper := mass.Rats()
			t.Require(found.Cmp(upper) <= 0 && rat.Add(found, rest).Cmp(lower) >= 0,
				"%d has at least %.9g and at most %.9g, must be %.9g", y, found, rat.Add(found, rest), upper)
		}
	}
}

// adds checks that a mechanism of both rooms adds to each answer what the sampler of spec draws.
func adds(t *register.T, literal func(value []*big.Int, c spec.Coins) ([]*big.Int, error),
	fast func(value []int64, s rand.Source) ([]int64, error), draw func(c spec.Coins) (*big.Int, error)) {
	value := []int64{7, -2, 0}
	for seed := range uint64(20) {
		coins := noise.Coins{Source: rand.NewPCG(seed, 1)}
		var wide []*big.Int
		var want, printed []int64
		for _, f := range value {
			wide, want = append(wide, big.NewInt(f)), append(want, f+register.Must(draw(coins)).Int64())
		}
		for _, y := range register.Must(literal(wide, noise.Coins{Source: rand.NewPCG(seed, 1)})) {
			printed = append(printed, y.Int64())
		}
		got := register.Must(fast(value, rand.NewPCG(seed, 1)))
		t.Require(slices.Equal(got, want) && slices.Equal(printed, want), "seed %d: %v by spec, %v by impl, must be %v",
			seed, printed, got, want)
	}
}

// discreteLaplaceLoses checks a share of ε for answers that differ by Δf at most.
var discreteLaplaceLoses = finite.On("Δf in {1, 3}, ε in {1/2, 2}, differences up to Δf, outputs −8 to 8, 20 seeds",
	func(t *register.T, share *big.Rat, sensitivity, eps *big.Rat) {
		scale := rat.Quo(sensitivity, eps)
		adds(t, func(value []*big.Int, c spec.Coins) ([]*big.Int, error) {
			return spec.DiscreteLaplaceMechanism(value, sensitivity, eps, c)
		}, func(value []int64, s rand.Source) ([]int64, error) {
			return noise.DiscreteLaplaceMechanism(value, sensitivity, eps, s)
		}, func(c spec.Coins) (*big.Int, error) { return spec.DiscreteLaplace(scale, c) })
		bound := precise.ExpRat(rat.Mul(share, eps))
		for y := int64(-8); y <= 8; y++ {
			for d := int64(0); d <= sensitivity.Num().Int64(); d++ {
				ratio := precise.Quo(laplaceMass(scale, y), laplaceMass(scale, y-d))
				t.Require(ratio.Lower.Cmp(bound.Upper) <= 0, "output %d, answers 0 and %d: the ratio is %.9g", y, d,
					ratio.Lower)
			}
		}
	})

// discreteGaussianNeeds compares a share of δ with the sum of max(0, P(y) − e^ε·P(y − d)), the largest for d = Δ.
var discreteGaussianNeeds = finite.On("Δ in {1, 2, 3}, σ² in {1/2, 1, 9/4, 30}, ε in {0, 1/2, 1, 2}, 20 seeds",
	func(t *register.T, share *big.Rat, sensitivity int, sigma2, eps *big.Rat) {
		adds(t, func(value []*big.Int, c spec.Coins) ([]*big.Int, error) {
			return spec.DiscreteGaussianMechanism(value, sigma2, c)
		}, func(value []int64, s rand.Source) ([]int64, error) {
			return noise.DiscreteGaussianMechanism(value, sigma2, s)
		}, func(c spec.Coins) (*big.Int, error) { return spec.DiscreteGaussian(sigma2, c) })
		literal := register.Must(spec.DiscreteGaussianDelta(int64(sensitivity), sigma2, eps))
		fast := register.Must(noise.DiscreteGaussianDelta(int64(sensitivity), sigma2, eps))
		encloses(t, "δ", fast.Float(), literal, 1e-13)
		last := 0.0
		for d := 1; d <= sensitivity; d++ {
			sum := stickOfGaussian(d, rat.Float64(sigma2), rat.Float64(eps))
			t.Require(sum >= last, "d = %d needs %.12g, less than d − 1", d, sum)
			last = sum
		}
		t.Require(math.Abs(rat.Float64(share)*literal-last) <= 1e-13, "δ is %.12g, the sum %.12g", literal, last)
	})

// stickOfGaussian is the sum over the outputs, in float64.
func stickOfGaussian(d int, variance, eps float64) float64 {
	weight := func(y int) float64 { return math.Exp(-float64(y*y) / (2 * variance)) }
	sum, all := 0.0, 0.0
	for y := -400; y <= 400; y++ {
		all += weight(y)
		sum += max(0, weight(y)-math.Exp(eps)*weight(y-d))
	}
	return sum / all
}
