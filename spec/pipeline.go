package spec

import (
	"cmp"
	"math"
	"math/big"
)

// MaxSets is the largest number of sets, or families of sets, that a function
// of this package goes through; also the largest number of sequences.
const MaxSets = 1 << 20

// Pipeline is a sequence of DP mechanisms that may end early (ODP-X21).
//
// Symbols: (ε_k, δ_k) = Mechanisms[k−1]; k_i = Stops[i−1].After and
// e^ℰ(P_i) = Stops[i−1].ExpEps; n = len(Stops); k_n = len(Mechanisms).
type Pipeline struct {
	Mechanisms []Mechanism
	Stops      []Stop // k_1 < … < k_n
}

// Stop is a point at which a pipeline may end.
type Stop struct {
	After  int      // k_i, the number of mechanisms that have run
	ExpEps *big.Rat // e^ℰ(P_i), at least 1
}

// rules are those of every pipeline.
func (p Pipeline) rules() error {
	broken := cmp.Or(must(len(p.Mechanisms) > 0, "mechanisms: there are none, must be at least one"),
		must(len(p.Stops) > 0, "stops: there are none, must be at least one"))
	for i, m := range p.Mechanisms {
		broken = cmp.Or(broken, domainOf("mechanism", i+1, notBelow("e^eps", m.ExpEps, 1),
			inUnit("delta", m.Delta, "[0, 1]")))
	}
	last := 0
	for i, s := range p.Stops {
		broken = cmp.Or(broken, domainOf("stop", i+1,
			must(s.After > last, "after is %d, must be more than %d", s.After, last), notBelow("e^eps", s.ExpEps, 1)))
		last = s.After
	}
	return cmp.Or(broken, must(last == len(p.Mechanisms),
		"stop %d: after is %d, the last must be %d, the number of mechanisms", len(p.Stops), last, len(p.Mechanisms)))
}

// familiesRule is that of a function that goes through the families (Q_{k_1}, …, Q_{k_n})
// with Q_{k_i} ⊆ {0,1,2,3}^(k_i), of outputs that occur.
func (p Pipeline) familiesRule() error {
	if err := p.rules(); err != nil {
		return err
	}
	bits, next := 0.0, 0
	with0, with1, both := 1.0, 1.0, 1.0 // outputs that occur with b = 0, with b = 1, with both
	for k, m := range p.Mechanisms {
		each, shared := answers(m)
		with0, with1, both = with0*each, with1*each, both*shared
		if p.Stops[next].After == k+1 {
			bits += with0 + with1 - both
			next++
		}
	}
	return must(bits <= math.Log2(MaxSets), "there are 2^%g families of sets, must be at most %d", bits, MaxSets)
}

// answers returns how many answers of M̃_(ε,δ) occur with one b, and how many with both.
func answers(m Mechanism) (each, shared float64) {
	switch {
	case m.Delta.Sign() == 0:
		return 2, 2
	case m.Delta.Cmp(one) == 0:
		return 1, 0
	}
	return 3, 2
}

// sequencesRule is that of a function that goes through {0,1,2,3}^(k_n).
func (p Pipeline) sequencesRule() error {
	k := len(p.Mechanisms)
	return must(math.Pow(4, float64(k)) <= MaxSets, "there are 4^%d sequences, must be at most %d", k, MaxSets)
}
