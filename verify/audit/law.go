package audit

import (
	"fmt"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Law is what is known for certain about the output laws of a mechanism on two
// neighbouring inputs: the probabilities of some disjoint events.
type Law struct {
	Inputs [2]string // as they are shown
	Cells  []Cell    // disjoint events
	// Complete is set if the cells are all outputs, and the likelihood ratio is constant on
	// each that has no Loss: then they decide what δ the claim needs for these inputs.
	Complete bool
}

// Cell is an event, all of it in one part of the claim.
type Cell struct {
	Name string               // as it is shown
	Part int                  // its index in the claim
	P    [2]interval.Interval // its probability on either input
	// Exact is P, if it is known as rational numbers. A cell from [ExactCell] has both.
	Exact *[2]*big.Rat
	// Loss is what the logarithm of the likelihood ratio of every output in the cell is
	// between, where that is known: what a claim with ε in nats is compared with exactly. An
	// end that is nil is infinite.
	Loss *[2]*big.Rat
}

// ExactCell returns a cell with rational probabilities.
func ExactCell(name string, part int, p0, p1 *big.Rat) Cell {
	both := [2]interval.Interval{lawBits.Rat(p0), lawBits.Rat(p1)}
	return Cell{Name: name, Part: part, P: both, Exact: &[2]*big.Rat{p0, p1}}
}

// WithLoss returns the cell with bounds of its loss: a range, or one number twice; nil where
// there is none.
func (c Cell) WithLoss(low, high *big.Rat) Cell {
	c.Loss = &[2]*big.Rat{low, high}
	return c
}

// loss returns the bounds of the loss in a direction: 0 is the first input against the
// second.
func (c Cell) loss(direction int) (low, high *big.Rat) {
	if direction == 0 {
		return c.Loss[0], c.Loss[1]
	}
	return negated(c.Loss[1]), negated(c.Loss[0])
}

// negated returns the other end of a range that is turned around.
func negated(x *big.Rat) *big.Rat {
	if x == nil {
		return nil
	}
	return new(big.Rat).Neg(x)
}

// Validate checks that the law can be one, and that it fits the claim.
func (l Law) Validate(c Claim) error {
	if len(l.Cells) == 0 {
		return fmt.Errorf("the law has no cells, must have at least one")
	}
	for _, cell := range l.Cells {
		if err := cell.validate(len(c.Parts)); err != nil {
			return fmt.Errorf("cell %s: %w", cell.Name, err)
		}
	}
	for b := range l.Inputs {
		sum := lawBits.Int(0)
		for _, cell := range l.Cells {
			sum = lawBits.Add(sum, cell.P[b])
		}
		if sum.Lower.Cmp(floatOne) > 0 || l.Complete && sum.Upper.Cmp(floatOne) < 0 {
			return fmt.Errorf("probabilities on input %s sum to [%.12g, %.12g], must sum to 1, "+
				"or less if outputs are missing", l.Inputs[b], sum.Lower, sum.Upper)
		}
	}
	return nil
}

func (c Cell) validate(parts int) error {
	if c.Part < 0 || c.Part >= parts {
		return fmt.Errorf("part is %d, must be at least 0 and less than %d", c.Part, parts)
	}
	for b, p := range c.P {
		if p.Lower == nil || p.Upper == nil || p.Lower.Sign() < 0 || p.Lower.Cmp(p.Upper) > 0 ||
			p.Lower.Cmp(floatOne) > 0 {
			return fmt.Errorf("probability is [%v, %v], must be an interval in [0, 1]", p.Lower, p.Upper)
		}
		if c.Exact != nil && (c.Exact[b] == nil || !p.Contains(c.Exact[b])) {
			return fmt.Errorf("probability is %v, must be in [%.12g, %.12g]", c.Exact[b], p.Lower, p.Upper)
		}
	}
	if c.Loss == nil {
		return nil
	}
	return c.validateLoss()
}

// validateLoss checks that the loss of the cell as a whole can be in its bounds:
// e^low·P' ≤ P ≤ e^high·P'.
func (c Cell) validateLoss() error {
	if low, high := c.Loss[0], c.Loss[1]; low != nil && high != nil && low.Cmp(high) > 0 {
		return fmt.Errorf("loss is from %v to %v, must be from a number to one that is not smaller", low, high)
	}
	for direction := range c.P {
		_, high := c.loss(direction)
		if high == nil {
			continue
		}
		most, err := expOf(high)
		if err != nil {
			return err
		}
		p, q := c.P[direction], c.P[1-direction]
		if lawBits.Mul(most, q).Upper.Cmp(p.Lower) < 0 {
			return fmt.Errorf("loss is from %s to %s, must fit probabilities of about %.6g and %.6g",
				endText(c.Loss[0], "-infinity"), endText(c.Loss[1], "infinity"), c.P[0].Upper, c.P[1].Upper)
		}
	}
	return nil
}

// endText writes an end of a loss, which may be infinite.
func endText(x *big.Rat, infinite string) string {
	if x == nil {
		return infinite
	}
	return x.RatString()
}

// Probability returns the probability of several cells on an input.
func (l Law) Probability(cells []int, input int) interval.Interval {
	sum := lawBits.Int(0)
	for _, c := range cells {
		sum = lawBits.Add(sum, l.Cells[c].P[input])
	}
	return sum
}

// expOf returns e^x.
func expOf(x *big.Rat) (interval.Interval, error) {
	if x.Sign() >= 0 {
		return loss.Factor(loss.Nats(x))
	}
	y, err := loss.Factor(loss.Nats(new(big.Rat).Neg(x)))
	if err != nil {
		return interval.Interval{}, err
	}
	return lawBits.Quo(lawBits.Int(1), y), nil
}
