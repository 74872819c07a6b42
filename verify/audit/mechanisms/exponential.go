package mechanisms

import (
	"math/big"
	"slices"
	"strconv"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
	"checkrr/verify/rat"
)

func exponentials() []Mechanism {
	return []Mechanism{
		{
			Name: "exponential", Title: "exponential mechanism, for utilities that rise and fall by 1",
			Source:   "AFD-D3.4, AFD-T3.10",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5, Noise: one},
			make:     exponentialCase,
		},
		{
			Name: "exponential-unhalved", Title: "exponential mechanism with weights e^(ε·u/Δu)", Source: "AFD-X6",
			Wrong:    "the weights are e^(ε·u/Δu), not e^(ε·u/(2Δu)): up to 2·ε",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5},
			make:     unhalved(exponentialCase),
		},
		{
			Name: "exponential-range", Title: "exponential mechanism for a price, among those that are bid",
			Source:   "AFD-X7, AFD-E3.5",
			Wrong:    "the candidates depend on the data: not private for any ε",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 3},
			make:     bidsCase,
		},
	}
}

// exponentialCase has utilities with Δu = 1 of which the first one rises and all others fall: the weights and their sum
// both lose ε/2.
func exponentialCase(p Params) (*Case, error) {
	eps := quo(p.Eps, p.Noise)
	s := selector{Params: p, neighbours: othersFall(p.Queries, p.far(20))}
	s.choose = func(utilities []float64, random noise.Source) (int, error) {
		return impl.ExponentialMechanism(utilities, 1, float(eps), random)
	}
	s.law = func(utilities []int) ([]interval.Interval, error) {
		return impl.ExponentialLaw(rationals(utilities), one, loss.Nats(eps))
	}
	return s.dpCase(), nil
}

// highBid is what one bidder would pay; the others pay 1.
var highBid = big.NewRat(301, 100)

// bidsCase has so many bids of 1, and in one input a higher one: only there that price is a candidate. The revenue at a
// price changes by the price at most.
func bidsCase(p Params) (*Case, error) {
	low := slices.Repeat(bids{one}, p.Queries)
	high := append(slices.Clone(low), highBid)
	run := func(bids bids) program {
		prices, revenues := market(bids)
		var names []string
		for _, price := range prices {
			names = append(names, priceShape(price))
		}
		u := rat.Floats(revenues)
		return choiceProgram(names, func(random noise.Random) (int, error) {
			return impl.ExponentialMechanism(u, float(highBid), p.eps(), random)
		})
	}
	return wholeCase(p.dp(), low, high, run, func() ([]audit.Cell, error) {
		_, revenues := market(high)
		both, err := impl.ExponentialLaw(revenues, highBid, loss.Nats(p.Eps))
		if err != nil {
			return nil, err
		}
		return []audit.Cell{
			{Name: priceShape(one), P: [2]interval.Interval{lawBits.Int(1), both[0]}},
			{Name: priceShape(highBid), P: [2]interval.Interval{lawBits.Int(0), both[1]}},
		}, nil
	}), nil
}

// bids are an input.
type bids []*big.Rat

func (b bids) String() string { return text(rat.Floats(b)) }

// market returns the prices that are bid, which rise, and the revenue at each.
func market(bids []*big.Rat) (prices, revenues []*big.Rat) {
	prices = slices.CompactFunc(slices.SortedFunc(slices.Values(bids), (*big.Rat).Cmp),
		func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
	for _, price := range prices {
		revenues = append(revenues, impl.Revenue(bids, price))
	}
	return prices, revenues
}

// priceShape writes a price as an output that is no number.
func priceShape(price *big.Rat) string { return strconv.Quote(decimal(price)) }
