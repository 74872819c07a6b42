package ours

import (
	"math/big"
	"strings"

	"checkrr/exhaustive"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// theorem are its two parts.
func theorem() register.Checks {
	return register.Checks{
		"OUR-T1": register.Checked(bounding{}.check,
			register.Control("the pairs dominate at orders α ≥ 1 only", bounding{pairs: atOrders(fromOne)}.check),
			register.Control("the mean of both orders of neighbours is the pair", bounding{pairs: eachPair(meanOfOrders)}.check),
			register.Control("the pairs dominate at the orders e^(E_i) only", bounding{pairs: atCharges}.check),
			register.Control("the pairs dominate what follows the first output", bounding{pairs: afterFirstOutput}.check),
			register.Control("the pipeline does not end early", bounding{stops: lastStop}.check),
			register.NearMiss("a stop is charged as the next one", bounding{stops: chargedAsNext}.check),
			register.NearMiss("with 19/20·V_0(1, 1)", bounding{share: nearly}.check),
		),
		"OUR-T2": register.Checked(attained(rat.One),
			register.NearMiss("19/20 of V_0(1, 1) is the smallest δ", attained(nearly)),
		),
	}
}

// bounding is the claim that a pipeline is ODP with a share of V_0(1, 1) of some pairs, with some stops; nil is what
// the theorem says.
type bounding struct {
	share *big.Rat
	pairs func(s testCase) []finite.Pair
	stops func(stops []spec.Stop) []spec.Stop
}

func (c bounding) check(t *register.T) {
	ofCases(7, 1, 1, 300, c.try)(t)
}

func (c bounding) try(t *register.T, s testCase) {
	claimed := s
	if c.pairs != nil {
		claimed.pairs = c.pairs(s)
	}
	if c.stops != nil {
		claimed.stops = finite.Pipeline{Stops: c.stops(s.stops.Stops)}
	}
	v := enumerated(t, claimed)
	if c.share != nil {
		v = rat.Mul(c.share, v)
	}
	if worst := s.worst(t); worst.Cmp(v) > 0 {
		t.Refute("%v: some rule needs δ = %s, claimed is %s by %s; %v", s, rat.Show(worst), rat.Show(v), show(claimed.pairs),
			claimed.stops)
	} else {
		t.CloseTo(worst, v, "%v", s)
	}
}

// enumerated returns V_0(1, 1), as printed and by going through all sequences of outputs.
func enumerated(t *register.T, s testCase) *big.Rat {
	v := start(s.pairs, s.stops)
	found, err := exhaustive.Exact(t.Context(), s.exhaustively(), nil)
	if got := register.Must(found, err).OptDel; !rat.Equal(got, v) {
		t.Refute("%s; %v: V_0(1, 1) = %s, by enumeration %s", show(s.pairs), s.stops, rat.Show(v), rat.Show(got))
	}
	return v
}

// fromOne puts outputs together of which orders of at least 1 do not tell the loss. Without a ratio it is infinite.
func fromOne(ratio *big.Rat) string {
	switch {
	case ratio == nil:
		return "infinite"
	case ratio.Cmp(rat.One) <= 0:
		return "at most 1"
	}
	return rat.Show(ratio)
}

// between puts ratios together between which there is no order.
func between(orders []*big.Rat) func(ratio *big.Rat) string {
	return func(ratio *big.Rat) string {
		n := 0
		for _, order := range orders {
			if ratio == nil || ratio.Cmp(order) > 0 {
				n++
			}
		}
		return finite.Name(n)
	}
}

// merged puts outputs together whose ratios P/Q are of one cell.
func merged(p finite.Pair, cell func(ratio *big.Rat) string) finite.Pair {
	names, known := map[string]string{}, map[string]string{}
	for _, o := range finite.Combine(rat.One, p[0], rat.One, p[1]).Outputs() {
		var ratio *big.Rat
		if q := p[1].Pr(o); q.Sign() > 0 {
			ratio = rat.Quo(p[0].Pr(o), q)
		}
		name := cell(ratio)
		if known[name] == "" {
			known[name] = finite.Name(len(known))
		}
		names[o] = known[name]
	}
	return finite.Pair{p[0].Map(names), p[1].Map(names)}
}

// atOrders returns pairs whose hockey-stick divergence is that of the pairs at some orders, and as low as can be at
// others: what the orders do not tell apart is one output.
func atOrders(cell func(ratio *big.Rat) string) func(s testCase) []finite.Pair {
	return eachPair(func(p finite.Pair) finite.Pair { return merged(p, cell) })
}

func atCharges(s testCase) []finite.Pair {
	var orders []*big.Rat
	for _, stop := range s.stops.Stops {
		orders = append(orders, stop.ExpEps)
	}
	return atOrders(between(orders))(s)
}

func eachPair(f func(p finite.Pair) finite.Pair) func(s testCase) []finite.Pair {
	return func(s testCase) (pairs []finite.Pair) {
		for _, p := range s.pairs {
			pairs = append(pairs, f(p))
		}
		return pairs
	}
}

// meanOfOrders returns the pair whose hockey-stick divergence is the mean of that of (P, Q) and of (Q, P).
func meanOfOrders(p finite.Pair) finite.Pair {
	mean := finite.Pair{{}, {}}
	for i, laws := range []finite.Pair{p, p.Back()} {
		for b, law := range laws {
			for j, o := range finite.Combine(rat.One, p[0], rat.One, p[1]).Outputs() {
				mean[b][finite.Name(2*j+i)] = rat.Mul(rat.Half, law.Pr(o))
			}
		}
	}
	return mean
}

// afterFirstOutput returns the laws after a, aa, … as pairs.
func afterFirstOutput(s testCase) (pairs []finite.Pair) {
	for k := range s.pairs {
		pairs = append(pairs, s.tree[strings.Repeat("a", k)])
	}
	return pairs
}

func lastStop(stops []spec.Stop) []spec.Stop { return stops[len(stops)-1:] }

func chargedAsNext(stops []spec.Stop) (all []spec.Stop) {
	for i, s := range stops {
		all = append(all, spec.Stop{After: s.After, ExpEps: stops[min(i+1, len(stops)-1)].ExpEps})
	}
	return all
}

// attained compares the smallest δ for all rules, of steps that have the pairs as laws, with a share of V_0(1, 1).
func attained(share *big.Rat) register.Check {
	return ofCases(7, 1, 2, 300, func(t *register.T, s testCase) {
		v := rat.Mul(share, enumerated(t, s))
		if worst := s.alone().worst(t); !rat.Equal(worst, v) {
			t.Refute("%v: the smallest δ for all rules is %s, claimed is %s", s.alone(), rat.Show(worst), rat.Show(v))
		}
	})
}
