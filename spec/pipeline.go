package spec

import (
	"errors"
	"fmt"
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

// validate returns an error for the first rule that p breaks.
func (p Pipeline) validate() error {
	if len(p.Mechanisms) == 0 {
		return errors.New("mechanisms: there are none, must be at least one")
	}
	if len(p.Stops) == 0 {
		return errors.New("stops: there are none, must be at least one")
	}
	for i, m := range p.Mechanisms {
		if err := m.validate(); err != nil {
			return fmt.Errorf("mechanism %d: %w", i+1, err)
		}
	}
	return p.validateStops()
}

func (p Pipeline) validateStops() error {
	previous := 0
	for i, s := range p.Stops {
		if err := s.validate(previous); err != nil {
			return fmt.Errorf("stop %d: %w", i+1, err)
		}
		previous = s.After
	}
	if total := len(p.Mechanisms); previous != total {
		return fmt.Errorf("stop %d: after is %d, the last must be %d, the number of mechanisms",
			len(p.Stops), previous, total)
	}
	return nil
}

func (m Mechanism) validate() error {
	if err := checkExpEps(m.ExpEps); err != nil {
		return err
	}
	if m.Delta == nil || m.Delta.Sign() < 0 || m.Delta.Cmp(one) > 0 {
		return fmt.Errorf("delta is %s, must be between 0 and 1", show(m.Delta))
	}
	return nil
}

func (s Stop) validate(previous int) error {
	if s.After <= previous {
		return fmt.Errorf("after is %d, must be more than %d", s.After, previous)
	}
	return checkExpEps(s.ExpEps)
}

// checkExpEps returns an error unless x is the e^ε of some ε ≥ 0.
func checkExpEps(x *big.Rat) error {
	if x == nil || x.Cmp(one) < 0 {
		return fmt.Errorf("e^eps is %s, must be at least 1", show(x))
	}
	return nil
}

func show(x *big.Rat) string {
	if x == nil {
		return "missing"
	}
	return x.RatString()
}

// checkFamilies returns an error if there are more than MaxSets families
// (Q_{k_1}, …, Q_{k_n}) with Q_{k_i} ⊆ {0,1,2,3}^(k_i), of outputs that occur.
func (p Pipeline) checkFamilies() error {
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
	if bits > math.Log2(MaxSets) {
		return fmt.Errorf("there are 2^%g families of sets, must be at most %d", bits, MaxSets)
	}
	return nil
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

// checkTapes returns an error if {0,1,2,3}^(k_n) has more than MaxSets members.
func (p Pipeline) checkTapes() error {
	if k := len(p.Mechanisms); math.Pow(4, float64(k)) > MaxSets {
		return fmt.Errorf("there are 4^%d sequences, must be at most %d", k, MaxSets)
	}
	return nil
}

// points returns k_1, …, k_n.
func (p Pipeline) points() []int {
	var points []int
	for _, s := range p.Stops {
		points = append(points, s.After)
	}
	return points
}
