package verify

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
)

// The law of an exact sampler comes from going through all draws. What is less probable than a bound is left out, and
// added up as the rest.

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

// goThrough returns the probability of each output in one round of a sampler, from the paths that are not too rare,
// and that of the others. Each path with an output is visited.
func goThrough(least string, sample func(spec.Coins) int64, visit func(path []finite.Draw,
	output int64)) (law map[int64]*big.Rat, rest *big.Rat) {
	law = map[int64]*big.Rat{}
	rest = finite.GoThrough(rat.Of(least), func(c *finite.Coins) {
		defer func() {
			if r := recover(); r != nil && r != (restarts{}) {
				panic(r)
			}
		}()
		output := sample(&oneRound{Coins: c})
		if law[output] == nil {
			law[output] = new(big.Rat)
		}
		law[output].Add(law[output], c.Pr)
		visit(c.Path, output)
	})
	return law, rest
}

const noiseBits = interval.Precision(200)

// checkMasses reports whether masses agree: it compares what was gone through with the masses that the law of a round
// says.
func checkMasses(law map[int64]*big.Rat, rest *big.Rat, want func(x int64) interval.Interval) bool {
	right := true
	for x := int64(-8); x <= 8; x++ {
		low := new(big.Rat)
		if law[x] != nil {
			low.Set(law[x])
		}
		w := want(x)
		lower, upper := w.Rats()
		right = right && low.Cmp(upper) <= 0 && rat.Add(low, rest).Cmp(lower) >= 0
	}
	return right
}

// samplers are gone through with each of their parameters: one round has mass(x, output) for an output.
var samplers = []struct {
	name       string
	parameters []string
	spec       func(x *big.Rat, c spec.Coins) int64
	impl       func(x *big.Rat, s *finite.WordTape) int64
	mass       func(x *big.Rat, output int64) interval.Interval
}{
	{"BernoulliExp", []string{"11/4", "1/3", "0", "3/4", "1", "3/2", "2"},
		func(x *big.Rat, c spec.Coins) int64 { b, _ := spec.BernoulliExp(x, c); return oneIf(b) },
		func(x *big.Rat, s *finite.WordTape) int64 { b, _ := noise.BernoulliExp(x, s); return oneIf(b) },
		bernoulliMass},
	{"DiscreteLaplace", []string{"5/3", "2/5", "1", "2", "5", "1/2", "3/2"},
		func(x *big.Rat, c spec.Coins) int64 { y, _ := spec.DiscreteLaplace(x, c); return y.Int64() },
		func(x *big.Rat, s *finite.WordTape) int64 { y, _ := noise.DiscreteLaplace(x, s); return y.Int64() },
		laplaceMass},
	{"DiscreteGaussian", []string{"1/2", "13/10", "1", "2", "9/2"},
		func(x *big.Rat, c spec.Coins) int64 { y, _ := spec.DiscreteGaussian(x, c); return y.Int64() },
		func(x *big.Rat, s *finite.WordTape) int64 { y, _ := noise.DiscreteGaussian(x, s); return y.Int64() },
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
	p := noiseBits.ExpRat(new(big.Rat).Neg(gamma))
	switch x {
	case 0:
		return noiseBits.Sub(noiseBits.Int(1), p)
	case 1:
		return p
	}
	return noiseBits.Int(0)
}

// laplaceMass is what a round of Algorithm 2 gives to x: 1/2t·(1 − e^−1)·Σ e^(−X/t) over the X with ⌊X/s⌋ = |x|.
func laplaceMass(scale *big.Rat, x int64) interval.Interval {
	s, t := scale.Denom().Int64(), scale.Num().Int64()
	n, sum := noiseBits, noiseBits.Int(0)
	for i := range s {
		sum = n.Add(sum, n.ExpRat(big.NewRat(-(max(x, -x)*s+i), t)))
	}
	return n.Mul(n.Mul(sum, n.Sub(n.Int(1), n.ExpRat(rat.Of("-1")))), n.Rat(big.NewRat(1, 2*t)))
}

// gaussianMass is proportional to e^(−x²/2σ²): with u = 1/2t·(1 − e^−1), it is u·e^(−x²/2σ²)·e^(−σ²/2t²).
func gaussianMass(sigma2 *big.Rat, x int64) interval.Interval {
	sigma, _ := sigma2.Float64()
	t := int64(math.Sqrt(sigma)) + 1
	n, twice := noiseBits, rat.Add(sigma2, sigma2)
	exponent := rat.Add(rat.Quo(big.NewRat(x*x, 1), twice), rat.Quo(sigma2, big.NewRat(2*t*t, 1)))
	unit := n.Mul(n.Sub(n.Int(1), n.ExpRat(rat.Of("-1"))), n.Rat(big.NewRat(1, 2*t)))
	return n.Mul(unit, n.ExpRat(exponent.Neg(exponent)))
}

// Every exact sampler of spec has its law: in one round, from its first draw to an output or to where it starts
// again, each output has exactly its mass. On both ends of each branch, impl makes the same of the words.
func TestExact_Samplers(t *testing.T) {
	t.Parallel()
	least := "1e-6" // probability of a path
	if *full {
		least = "3e-7"
	}
	for _, s := range samplers {
		for _, text := range s.parameters[:amount(2, len(s.parameters))] {
			x, paths := rat.Of(text), 0
			law, rest := goThrough(least, func(c spec.Coins) int64 { return s.spec(x, c) },
				func(path []finite.Draw, output int64) {
					paths++
					for _, lower := range []bool{true, false} {
						tape := &finite.WordTape{Words: finite.Words(path, lower)}
						if got := s.impl(x, tape); got != output || len(tape.Words) > 0 {
							t.Fatalf("%s %s: impl returns %d and leaves %d words, spec %d",
								s.name, text, got, len(tape.Words), output)
						}
					}
				})
			right := func(output int64) interval.Interval { return s.mass(x, output) }
			if !checkMasses(law, rest, right) || rest.Cmp(rat.Of("4e-3")) > 0 {
				t.Errorf("%s %s: another law, after %d paths with a rest of %s",
					s.name, text, paths, rest.FloatString(9))
			}
			wrong := func(output int64) interval.Interval { // a control: 1 has 5 % more
				if output == 1 {
					return noiseBits.Mul(right(output), noiseBits.Rat(rat.Of("1.05")))
				}
				return right(output)
			}
			if m, _ := right(1).Lower.Float64(); m > 0.1 && checkMasses(law, rest, wrong) {
				t.Errorf("%s %s: a law with 5 %% more is not told apart", s.name, text)
			}
		}
	}
}

// δ of the discrete Gaussian: spec against impl, and against the sum of max(0, P(y) − e^ε·P(y − d)) for every d ≤ Δ.
func TestPair_DiscreteGaussianDelta(t *testing.T) {
	t.Parallel()
	for _, sensitivity := range []int64{1, 2, 3} {
		for _, variance := range []string{"1/2", "1", "9/4", "30"} {
			for _, eps := range []string{"0", "1/2", "1", "2"} {
				got, err := noise.DiscreteGaussianDelta(sensitivity, rat.Of(variance), rat.Of(eps))
				want, err2 := spec.DiscreteGaussianDelta(sensitivity, rat.Of(variance), rat.Of(eps))
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				var all []float64
				for d := int64(1); d <= sensitivity; d++ {
					all = append(all, hockeyStick(d, rat.Of(variance), rat.Of(eps)))
				}
				x := got.Float()
				if x.Hi-x.Lo > 1e-15 || math.Abs(x.Hi-want) > 1e-13 || math.Abs(x.Hi-slices.Max(all)) > 1e-13 ||
					slices.Max(all) != all[len(all)-1] {
					t.Errorf("Δ = %d, σ² = %s, ε = %s: impl %v, spec %g, sums %g",
						sensitivity, variance, eps, x, want, all)
				}
			}
		}
	}
}

// hockeyStick is the sum over the outputs, in float64.
func hockeyStick(d int64, sigma2, eps *big.Rat) float64 {
	variance, _ := sigma2.Float64()
	e, _ := eps.Float64()
	weight := func(y int64) float64 { return math.Exp(-float64(y*y) / (2 * variance)) }
	sum, all := 0.0, 0.0
	for y := int64(-400); y <= 400; y++ {
		all += weight(y)
		sum += max(0, weight(y)-math.Exp(e)*weight(y-d))
	}
	return sum / all
}
