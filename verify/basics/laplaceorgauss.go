package basics

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// laplaceOrGauss are the remarks of Section 3.5.3.
func laplaceOrGauss() register.Checks {
	return register.Checks{
		"AFD-X15": register.Checked(register.All(sumIsGaussian(1), sameLoss(byTheorem22, weakAndMany)),
			register.AlsoFails("", "for the same variance", sameLoss(scaleTimes(math.Sqrt2), weakAndMany)),
			register.AlsoHolds("the sum of two Gaussians is a Gaussian", sumIsGaussian(1)),
			register.NearMiss("the sum has 1.001 times the variance", sumIsGaussian(1.001)),
			register.NearMiss("within 1 part in 20, for a standard deviation of 11/10 of the scale",
				sameLoss(scaleTimes(1.1), weakAndMany)),
			register.NearMiss(
				"within 1 part in 20, for a standard deviation that is the scale of the Laplace noise, for "+
					"k = 30, ε = 1/20, δ = 1e-6",
				sameLoss(scaleTimes(1), compared{rat.List("30"), rat.List("1/20"), rat.List("1e-6")})),
			register.NearMiss("the same for k = 1, ε = 1, δ = 1e-6",
				sameLoss(scaleTimes(1), compared{rat.List("1"), rat.List("1"), rat.List("1e-6")})),
			register.Corrected(
				"within 1 part in 20, for a standard deviation that is the scale of the Laplace noise, k "+
					"of at least 100, ε in [1/1000, 1/20] and δ in [1e-6, 1/1000]",
				register.All(sumIsGaussian(1), sameLoss(scaleTimes(1), weakAndMany))),
		),
		"AFD-X16": register.Checked(
			register.All(maximumLoses("100000000", "1000000000000000000"),
				maximumKeeps(rat.One, "100000000", "1000000000000000000")),
			register.Control("for 20 candidates", maximumLoses("10", "10")),
			register.NearMiss("for a million candidates each, 10^4/δ and 10^3/δ", maximumLoses("500000", "500000")),
			register.NearMiss("with Laplace noise it is (0.999·ε, 0)-DP", maximumKeeps(rat.Of("0.999"))),
		),
	}
}

// sumIsGaussian checks the tail of a sum of two Gaussians by quadrature.
func sumIsGaussian(factor float64) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("Pr(N_1 + σN_2 ≥ x) for σ in {1/2, 3}, x in {0, 1, 4}, by quadrature")
		for _, sigma := range []float64{0.5, 3} {
			for _, x := range []float64{0, 1, 4} {
				t.Case()
				sum := 0.0
				const h = 1.0 / 64 // the trapezoid rule is exact for such functions but for e^(−2π²/h²)
				for i := -640; i <= 640; i++ {
					z := float64(i) * h
					sum += h * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * math.Erfc((x-z)/(sigma*math.Sqrt2)) / 2
				}
				at := x / math.Sqrt(factor*(1+sigma*sigma))
				if tail := precise.NormalTail(interval.Of(at, at)).Float(); !(math.Abs(tail.Hi-sum) <= 1e-12) {
					t.Refute("σ = %g, x = %g: by quadrature %.15g, a Gaussian has %.15g", sigma, x, sum, tail.Hi)
				}
			}
		}
	}
}

// deviation returns a standard deviation to compare with Laplace noise for ε, k times.
type deviation func(t *register.T, k int, eps, delta *big.Rat) interval.Interval

func scaleTimes(factor float64) deviation {
	return func(_ *register.T, _ int, eps, _ *big.Rat) interval.Interval {
		return precise.Rat(rat.Quo(new(big.Rat).SetFloat64(factor), eps))
	}
}

func byTheorem22(t *register.T, k int, eps, delta *big.Rat) interval.Interval {
	each := rat.Quo(delta, rat.Int(2*k))
	sigma := impl.GaussianScale(rat.One, eps, each)
	isAbout(t, "σ", sigma, spec.GaussianScale(1, rat.Float64(eps), rat.Float64(each)))
	return sigma
}

// compared are numbers of mechanisms, their ε, and δ.
type compared struct {
	counts, eps, deltas []*big.Rat
}

// weakAndMany is where Laplace and Gaussian noise come to the same.
var weakAndMany = compared{rat.List("100", "1000", "10000"), rat.List("1/20", "1/100", "1/1000"),
	rat.List("1e-6", "1/1000")}

// sameLoss checks that k Laplace and k Gaussian mechanisms need the same ε, within 1 part in 20.
func sameLoss(of deviation, in compared) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("k in {%s}, ε in {%s}, δ in {%s}", rat.Show(in.counts...), rat.Show(in.eps...), rat.Show(in.deltas...))
		for _, k := range in.counts {
			for _, eps := range in.eps {
				for _, delta := range in.deltas {
					t.Case()
					compareLoss(t, of, int(k.Num().Int64()), eps, delta)
				}
			}
		}
	}
}

// compareLoss refutes that both need the same ε, within 1 part in 20. The k Gaussian mechanisms are one with σ/√k.
// Those with Laplace noise are no worse than randomized responses with ε, and no better than those that say on which
// side of the middle a number is: of these, e^ε′ is 2e^(ε/2) − 1.
func compareLoss(t *register.T, of deviation, k int, eps, delta *big.Rat) {
	half := precise.ExpRat(rat.Mul(rat.Half, eps))
	side := rat.Exact(precise.LogOf(precise.Sub(precise.Add(half, half), precise.Int(1))).Lower)
	needs := func(each *big.Rat) interval.Float {
		m := []impl.Mechanism{{Eps: loss.Nats(each), Delta: new(big.Rat), Count: k}}
		c, err := impl.OptComp(t.Context(), m, delta, impl.Options{RelWidth: 1e-4})
		t.Must(err)
		return c.Eps.Float()
	}
	least, most := needs(side).Lo, needs(eps).Hi
	sigma := precise.Quo(of(t, k, eps, delta), precise.Sqrt(precise.Int(int64(k))))
	gauss := gaussianNeeds(sigma, delta)
	if gauss.Hi*1.05 <= least {
		t.Refute("k = %d, ε = %s, δ = %s: with Laplace noise at least %.6g is needed, with Gaussian noise at most %.6g", k,
			rat.Show(eps), rat.Show(delta), least, gauss.Hi)
	}
	if gauss.Lo > most*1.05 {
		t.Refute("k = %d, ε = %s, δ = %s: with Laplace noise at most %.6g is needed, with Gaussian noise at least %.6g", k,
			rat.Show(eps), rat.Show(delta), most, gauss.Lo)
	}
}

// gaussianNeeds returns the smallest ε for δ of Gaussian noise with the standard deviation sigma, by halving: to a part
// in 10^7, or as closely as δ is known.
func gaussianNeeds(sigma interval.Interval, delta *big.Rat) interval.Float {
	at := func(eps float64) interval.Interval {
		return impl.GaussianDelta(rat.One, sigma, new(big.Rat).SetFloat64(eps))
	}
	low, high := 0.0, 1.0
	if rat.IsAtMost(at(low), delta) {
		return interval.Point(0)
	}
	for !rat.IsAtMost(at(high), delta) {
		high *= 2
	}
	for high-low > 1e-7*high {
		middle := (low + high) / 2
		switch d := at(middle); {
		case rat.IsAtMost(d, delta):
			high = middle
		case rat.IsAbove(d, delta):
			low = middle
		default:
			return interval.Float{Lo: low, Hi: high}
		}
	}
	return interval.Float{Lo: low, Hi: high}
}

// maximumLoses checks, for 2m candidates, that 1/2 − e^ε·Pr(no raised one wins) is above δ. With cells from a to b of
// the largest score of those that are not raised, up to 4, in steps of 1/16, and above 10, the probability is at most Σ
// (Φ(b)^m − Φ(a)^m)·Φ(b − 1/σ)^m.
func maximumLoses(counts ...string) register.Check {
	return func(t *register.T) {
		const n = interval.Precision(128)
		t.Domain("ε = 1 with δ = 1/100, and ε = 1/2 with δ = 1/1000, for twice %s and %s candidates", counts[0], counts[1])
		for i, s := range [...][2]string{{"1", "1/100"}, {"1/2", "1/1000"}} {
			t.Case()
			eps, delta := rat.Of(s[0]), rat.Of(s[1])
			m := int(rat.Of(counts[i]).Num().Int64())
			sigma := impl.GaussianScale(rat.One, eps, delta)
			isAbout(t, "σ", sigma, spec.GaussianScale(1, rat.Float64(eps), rat.Float64(delta)))
			below := func(x interval.Interval) interval.Interval { // Φ(x)^m
				return n.Power(n.Sub(n.Int(1), n.NormalTail(x)), m)
			}
			sum, last := n.Int(0), n.Int(0)
			for j := 4 * 16; j <= 10*16; j++ {
				b := n.Rat(big.NewRat(int64(j), 16))
				next := below(b)
				sum = n.Add(sum, n.Mul(n.Max0(n.Sub(next, last)), below(n.Sub(b, n.Quo(n.Int(1), sigma)))))
				last = next
			}
			sum = n.Add(sum, n.Sub(n.Int(1), last))
			least := n.Sub(n.Rat(rat.Half), n.Mul(n.ExpRat(eps), sum))
			if !rat.IsAbove(least, delta) {
				t.Refute("ε = %s, δ = %s, twice %s candidates: δ of at least %.6g is needed by this event", s[0], s[1], counts[i],
					least.Lower)
			}
		}
	}
}

// maximumKeeps checks, with Laplace noise, all losses for up to 200 candidates, and for twice each of the counts that
// no raised one wins with at least e^(−share·ε)/2: with cells from a to b of the largest of those that are not raised,
// of 1/(8ε) about ln(m)/ε, it is at least Σ (F(b)^m − F(a)^m)·F(a − 1)^m.
func maximumKeeps(share *big.Rat, counts ...string) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("Laplace noise, ε in {1/2, 1, 4}: 2, 20 and 200 candidates, of which half, or all but one, are " +
			"raised; and as many as before, of which half are")
		for _, eps := range rat.List("1/2", "1", "4") {
			b := noisyMaxScale(t, eps)
			for _, n := range []int{2, 20, 200} {
				for _, stay := range []int{1, n / 2} {
					t.Case()
					here, there := make([]*big.Rat, n), make([]*big.Rat, n)
					for i := range n {
						here[i], there[i] = new(big.Rat), rat.Int(map[bool]int{true: 1}[i >= stay])
					}
					allLosses(t, here, there, b, rat.Mul(share, eps), fmt.Sprintf("%d candidates, all but %d raised, ε = %s", n, stay,
						rat.Show(eps)))
				}
			}
			for _, m := range counts {
				t.Case()
				least, bound := noRaisedWins(t, b, rat.Of(m)),
					precise.Half(precise.ExpRat(rat.Sub(new(big.Rat), rat.Mul(share, eps))))
				if least.Lower.Cmp(bound.Upper) < 0 {
					t.Refute("ε = %s, twice %s candidates: none that is raised wins with at least %.9g, claimed %.9g", rat.Show(eps),
						m, least.Lower, bound.Upper)
				}
			}
		}
	}
}

// allLosses refutes that an index loses more than the bound, either way.
func allLosses(t *register.T, here, there []*big.Rat, b, bound *big.Rat, where string) {
	first, err := impl.NoisyMaxLaw(here, b, 1e-10)
	t.Must(err)
	second, err := impl.NoisyMaxLaw(there, b, 1e-10)
	t.Must(err)
	for _, i := range []int{0, len(here) - 1} { // equal scores are equally likely
		l, err := impl.LogRatio(first[i], second[i])
		t.Must(err)
		x := l.Float().Abs()
		if x.Lo > rat.Float64(bound) {
			t.Refute("%s: output %d has a loss of at least %.9g in size, claimed at most %s", where, i+1, x.Lo, rat.Show(bound))
		}
		t.Close(math.Round(x.Lo/rat.Float64(bound)*1e9)/1e9, "%s, output %d", where, i+1)
	}
}

// noRaisedWins returns a bound from below of the probability that one of m candidates wins that are 1 below m others.
func noRaisedWins(t *register.T, b, m *big.Rat) interval.Interval {
	const steps = 8
	n := int(m.Num().Int64())
	middle := int(math.Log(float64(n)))
	cuts := grid(rat.Quo(b, rat.Int(steps)), steps*(middle-5), steps*(middle+20))
	allBelow := func(x *big.Rat) interval.Interval { // F(x)^m
		cells, err := impl.LaplaceCells(new(big.Rat), b, []*big.Rat{x})
		t.Must(err)
		return precise.Power(cells[0], n)
	}
	sum, last := precise.Int(0), allBelow(cuts[0])
	for i, cut := range cuts[1:] {
		next := allBelow(cut)
		sum = precise.Add(sum, precise.Mul(precise.Max0(precise.Sub(next, last)), allBelow(rat.Sub(cuts[i], rat.One))))
		last = next
	}
	return sum
}
