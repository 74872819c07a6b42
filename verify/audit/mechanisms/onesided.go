package mechanisms

import (
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
)

func oneSidedMaxima() []Mechanism {
	return []Mechanism{
		{
			Name: "one-sided-max", Title: "report one-sided noisy arg-max, for counts", Source: "AFD-U6",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5, Noise: one},
			make: func(p Params) (*Case, error) {
				return oneSidedCase(p, true, firstRises(p.Queries, p.far(10))),
					nil
			},
		},
		{
			Name:     "one-sided-max-utility",
			Title:    "report one-sided noisy arg-max, for utilities that rise and fall by 1",
			Source:   "AFD-U6, AFD-X10",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5, Noise: one},
			make:     utilityCase,
		},
		{
			Name:     "one-sided-max-unhalved",
			Title:    "report one-sided noisy arg-max with the noise of counts, for utilities that rise and fall by 1",
			Source:   "AFD-U6",
			Wrong:    "the parameter of the noise is ε/Δu, not ε/(2Δu): up to 2·ε",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5},
			make:     unhalved(utilityCase),
		},
	}
}

func utilityCase(p Params) (*Case, error) {
	return oneSidedCase(p, false, othersFall(p.Queries, p.far(20))), nil
}

// oneSidedCase has utilities with Δu = 1. Where all are equal, each is the arg-max as often: ties have probability 0.
func oneSidedCase(p Params, monotonic bool, neighbours [][2][]int) *Case {
	eps := quo(p.Eps, p.Noise)
	s := selector{Params: p, neighbours: neighbours}
	s.choose = func(utilities []float64, random noise.Source) (int, error) {
		return impl.OneSidedArgMax(utilities, 1, float(eps), monotonic, random)
	}
	rate := eps
	if !monotonic {
		rate = quo(eps, whole(2))
	}
	s.law = func(utilities []int) ([]interval.Interval, error) {
		var q []interval.Interval
		for _, gap := range gapsOf(utilities) {
			q = append(q, oneSidedBits.ExpRat(mul(rate, whole(-gap))))
		}
		return oneSidedLaw(q), nil
	}
	s.loss = func(n [2][]int, r int) *big.Rat {
		gaps := [2][]int{gapsOf(n[0]), gapsOf(n[1])}
		rise := gaps[1][r] - gaps[0][r]
		gaps[0][r] = gaps[1][r]
		if !slices.Equal(gaps[0], gaps[1]) {
			return nil
		}
		return mul(rate, whole(rise)) // the integrals are the same
	}
	return s.dpCase()
}

// gapsOf returns M − u_r for every r.
func gapsOf(utilities []int) []int {
	most, gaps := slices.Max(utilities), []int(nil)
	for _, u := range utilities {
		gaps = append(gaps, most-u)
	}
	return gaps
}

// oneSidedBits is the precision of [oneSidedLaw], where at most 2^40 cancels.
const oneSidedBits = interval.Precision(512)

// oneSidedLaw returns q_r·∫_0^1 ∏_{j≠r} (1 − w·q_j) dw for every r: the law of impl.OneSidedLaw, for q_r = e^(−λ(M −
// u_r)) in intervals, where e^λ is no rational number.
func oneSidedLaw(q []interval.Interval) []interval.Interval {
	const n = oneSidedBits
	var law []interval.Interval
	for r := range q {
		product := []interval.Interval{n.Int(1)} // its coefficients
		for j := range q {
			if j == r {
				continue
			}
			product = append(product, n.Int(0))
			for k := len(product) - 1; k > 0; k-- {
				product[k] = n.Sub(product[k], n.Mul(q[j], product[k-1]))
			}
		}
		integral := n.Int(0)
		for k, coefficient := range product {
			integral = n.Add(integral, n.Quo(coefficient, n.Int(int64(k+1))))
		}
		law = append(law, n.Mul(q[r], integral))
	}
	return law
}
