package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// total is a sum over all mechanisms so far, by its name.
type total struct {
	name string
	sum  loss.Sum
}

// checkTotals refuses what cannot be the sums over so many mechanisms.
func checkTotals(events int, of summed) error {
	const most = math.MaxInt / 2 // as many again can be counted
	if events < 0 || events > most {
		return fmt.Errorf("events is %d, must be at least 0 and at most %d", events, most)
	}
	for _, t := range of.totals() {
		switch sign := t.sum.Sign(); {
		case sign < 0:
			return fmt.Errorf("%s is %s, must be at least 0", t.name, t.sum.Text())
		case sign > 0 && events == 0:
			return fmt.Errorf("%s is %s, must be 0 as there is no event", t.name, t.sum.Text())
		}
	}
	return nil
}

// roundings is more than what all roundings of a sum have added to it.
var roundings = loss.OfRat(rational.MustParse("1e-60"))

// atMost refuses a total that is more than another number, but for roundings.
func (t total) atMost(most loss.Sum, what string) error {
	return t.unless(t.sum.Cmp(most.PlusExactly(roundings)) <= 0, most, what)
}

// within refuses a total that is more than there is; what that is, is said.
func (t total) within(most loss.Sum, what string) error {
	return t.unless(t.sum.AtMost(most), most, what)
}

func (t total) unless(isAtMost bool, most loss.Sum, what string) error {
	if isAtMost {
		return nil
	}
	return fmt.Errorf("%s is %s, must be at most %s, %s", t.name, t.sum.Text(), most.Text(), what)
}

// ofEvents is a number of mechanisms as a sum: what their δ add up to at most.
func ofEvents(n int) loss.Sum { return loss.OfRat(new(big.Rat).SetInt64(int64(n))) }

// CheckSquares refuses what cannot be Σ ε² over so many mechanisms, given their Σ ε: it is at most (Σ ε)² and, by the
// inequality of Cauchy and Schwarz, at least (Σ ε)² / events.
func CheckSquares(events int, squares, sum loss.Sum) error {
	if events < 1 {
		return nil // nor are there sums
	}
	const near = 1e-9 // which covers the squares of ε that were given as e^ε
	square := sum.Float().Mul(sum.Float())
	least, most := square.Quo(interval.Point(float64(events))).Lo*(1-near), square.Hi*(1+near)
	if v, slack := squares.Float(), roundings.Float().Hi; v.Hi < least-slack || v.Lo > most+slack {
		return fmt.Errorf("the sum of the squares of ε is %s, must be about %.6g to %.6g, as %d ε add up to %s",
			squares.Text(), least, most, events, sum.Text())
	}
	return nil
}

// UnmarshalJSON reads what a Spending was written as. A key that is there twice is an error, as is one that is unknown
// or missing.
func (s *Spending) UnmarshalJSON(text []byte) error {
	type plain Spending // without these methods
	return readWhole(text, (*plain)(s), json.RejectUnknownMembers(true))
}

// UnmarshalJSONFrom is UnmarshalJSON where a decoder, which may skip what is unknown, has come to a Spending.
func (s *Spending) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	type plain Spending // without these methods
	text, err := d.ReadValue()
	if err != nil {
		return err
	}
	return readWhole(text, (*plain)(s), d.Options())
}

// Validate returns why s cannot be what mechanisms have spent, or nil.
func (s Spending) Validate() error {
	err := checkTotals(s.Events, s)
	switch {
	case err != nil:
		return err
	case s.HasDP && s.Events == 0:
		return errors.New("has_dp is true, must be false as there is no event")
	case !s.HasDP && s.WithoutODP.Delta.Cmp(s.ODP.Delta) != 0:
		return fmt.Errorf("without_odp.delta is %s, must be odp.delta, %s, as has_dp is false",
			s.WithoutODP.Delta.Text(), s.ODP.Delta.Text())
	case !s.HasDP:
		err = s.totals()[0].atMost(s.WithoutODP.Eps, "without_odp.eps, as has_dp is false")
	}
	most, totals := ofEvents(s.Events), s.totals()
	return cmp.Or(err, totals[1].atMost(most, "events"), totals[3].atMost(most, "events"))
}

// AtLeast returns why s cannot be what was spent on one part of the data, given what mechanisms on all of it spent,
// or nil.
func (s Spending) AtLeast(all Spending) error {
	if s.Events < all.Events {
		return fmt.Errorf("events is %d, must be at least %d, that of the mechanisms on all of the data",
			s.Events, all.Events)
	}
	return notBelow(s, all)
}

// Resume returns the accountant with the budget of a that has spent s, as [Accountant.Spent] of an earlier one said:
// from there on, the two are the same. Nothing is lost if s is written as JSON and read in between. What is stored
// must be what was spent with the mechanism that is about to run at its worst, as for [FilterRun.State].
//
// Domain: a valid s that is within the budget; of others the error is a [*StateError].
func (a Accountant) Resume(s Spending) (Accountant, error) {
	totals, budget := s.totals(), a.Budget()
	err := cmp.Or(s.Validate(), totals[0].within(budget.Eps, "the budget"),
		totals[1].within(budget.Delta, "the budget"))
	if err == nil {
		a.spent = s
	}
	return a, damaged(err)
}

// resumed returns what is remembered by a state, if it is possible on all of the data and on each partition.
func resumed[S, T any](all S, parts map[string]S, check func(S) error, kept func(S) T) (p Partitioned[T], err error) {
	if err := check(all); err != nil {
		return p, err
	}
	of := map[string]T{}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		err := check(parts[name])
		if err == nil { // then it is of the same type as what is remembered of all
			err = notBelow(parts[name], all)
		}
		if err != nil {
			return p, fmt.Errorf("partition %q: %w", name, err)
		}
		of[name] = kept(parts[name])
	}
	return PartitionedOf(kept(all), of)
}

// summed is what is remembered by sums.
type summed interface{ totals() []total }

func (s Sums) totals() []total { return []total{{"charge", s.Charge}, {"delta", s.Delta}} }

func (s ODPSums) totals() []total {
	return []total{{"eps", s.Eps}, {"charge", s.Charge}, {"delta", s.Delta}}
}

func (s OdometerSums) totals() []total {
	return []total{{"v", s.V}, {"eps", s.Eps}, {"delta", s.Delta}}
}

func (s Spending) totals() []total {
	return []total{{"odp.eps", s.ODP.Eps}, {"odp.delta", s.ODP.Delta},
		{"without_odp.eps", s.WithoutODP.Eps}, {"without_odp.delta", s.WithoutODP.Delta}}
}

// notBelow refuses totals on one partition that are less than those of the mechanisms on all of the data, but for
// roundings. Memories of filters that are not ours are not looked at.
func notBelow(part, all any) error {
	p, areSums := part.(summed)
	a, too := all.(summed)
	if !areSums || !too {
		return nil
	}
	least := a.totals()
	for i, t := range p.totals() {
		if least[i].sum.Cmp(t.sum.PlusExactly(roundings)) > 0 {
			const rule = "%s is %s, must be at least %s, that of the mechanisms on all of the data"
			return fmt.Errorf(rule, t.name, t.sum.Text(), least[i].sum.Text())
		}
	}
	return nil
}
