package exhaustive

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
)

// MaxMechanisms is the largest number of mechanisms: 4^13 is 67 million sequences.
const MaxMechanisms = 13

// maxEpsilon is the largest ε that is given as ε, far above any that is useful.
const maxEpsilon = 1_000_000

// Epsilon is a privacy parameter ε ≥ 0 in nats, held as a rational number.
type Epsilon struct {
	Rat *big.Rat // ε, in [0, 10^6]; or e^ε, at least 1
	Exp bool     // Rat is e^ε
}

// Mechanism is one (ε, δ)-DP mechanism or, with a Law, one that has or is dominated by that.
type Mechanism struct {
	Eps   Epsilon
	Delta *big.Rat      // in [0, 1]
	Law   [][2]*big.Rat // instead of both: at [z] the probabilities of output z on two databases
}

// Stop is a point at which a pipeline may end.
type Stop struct {
	After int     // k_i, the number of mechanisms that have run
	Eps   Epsilon // ℰ(P_i), what an output of this length is charged
}

// Pipeline is a sequence of DP mechanisms that may end early (ODP-A3, ODP-X21).
type Pipeline struct {
	Mechanisms []Mechanism
	Stops      []Stop // k_1 < … < k_n = len(Mechanisms)
}

// validate returns an error for the first rule that p breaks.
func (p Pipeline) validate() error {
	switch n := len(p.Mechanisms); {
	case n == 0:
		return errors.New("mechanisms: there are none, must be at least one")
	case n > MaxMechanisms:
		return fmt.Errorf("mechanisms: there are %d, must be at most %d", n, MaxMechanisms)
	case len(p.Stops) == 0:
		return errors.New("stops: there are none, must be at least one")
	}
	sequences := 1.0
	for i, m := range p.Mechanisms {
		if err := m.validate(); err != nil {
			return fmt.Errorf("mechanism %d: %w", i+1, err)
		}
		sequences *= cmp.Or(float64(len(m.Law)), 4)
	}
	if sequences > maxSequences {
		return fmt.Errorf("mechanisms: there are %g sequences of outputs, must be at most %d", sequences, maxSequences)
	}
	return p.validateStops()
}

// maxSequences is the largest number of sequences of outputs.
const maxSequences = 1 << (2 * MaxMechanisms)

func (p Pipeline) validateStops() error {
	previous := 0
	for i, s := range p.Stops {
		if s.After <= previous {
			return fmt.Errorf("stop %d: after is %d, must be more than %d", i+1, s.After, previous)
		}
		if err := s.Eps.validate(); err != nil {
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

// laws returns the law by database.
func (m Mechanism) laws() (laws [2][]*big.Rat) {
	for _, output := range m.Law {
		for b, x := range output {
			laws[b] = append(laws[b], x)
		}
	}
	return laws
}

func (m Mechanism) validate() error {
	if m.Law != nil {
		return validateLaws(m.laws(), len(m.Law))
	}
	if err := m.Eps.validate(); err != nil {
		return err
	}
	if m.Delta == nil || m.Delta.Sign() < 0 || m.Delta.Cmp(one) > 0 {
		return fmt.Errorf("delta is %s, must be between 0 and 1", show(m.Delta))
	}
	return nil
}

// validateLaws returns an error for the first rule that the laws of a mechanism on two databases break.
func validateLaws(laws [2][]*big.Rat, outputs int) error {
	for b, law := range laws {
		if len(law) != outputs {
			return fmt.Errorf("law %d has %d outputs, must be %d", b, len(law), outputs)
		}
		for z, pr := range law {
			if pr == nil || pr.Sign() < 0 {
				return fmt.Errorf("law %d: probability of output %d is %s, must be at least 0", b, z, show(pr))
			}
		}
		if num, denom := total(law); num.Cmp(denom) != 0 {
			return fmt.Errorf("law %d sums to %s, must be 1", b, new(big.Rat).SetFrac(num, denom).RatString())
		}
	}
	return nil
}

// total returns the sum as a ratio that is not reduced: common factors of many long denominators take long to find.
func total(xs []*big.Rat) (num, denom *big.Int) {
	switch len(xs) {
	case 0:
		return new(big.Int), one.Denom()
	case 1:
		return xs[0].Num(), xs[0].Denom()
	}
	a, b := total(xs[:len(xs)/2])
	c, d := total(xs[len(xs)/2:])
	if b.Cmp(d) == 0 {
		return new(big.Int).Add(a, c), b
	}
	num = new(big.Int).Mul(a, d)
	return num.Add(num, new(big.Int).Mul(c, b)), new(big.Int).Mul(b, d)
}

func (e Epsilon) validate() error {
	switch {
	case e.Exp && (e.Rat == nil || e.Rat.Cmp(one) < 0):
		return fmt.Errorf("e^eps is %s, must be at least 1", show(e.Rat))
	case e.Exp:
		return nil
	case e.Rat == nil || e.Rat.Sign() < 0 || e.Rat.Cmp(big.NewRat(maxEpsilon, 1)) > 0:
		return fmt.Errorf("eps is %s, must be between 0 and %d", show(e.Rat), maxEpsilon)
	}
	return nil
}

func show(x *big.Rat) string {
	if x == nil {
		return "missing"
	}
	return x.RatString()
}

// in says in which function an error is.
func in(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
