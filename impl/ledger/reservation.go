package ledger

import (
	"errors"
	"slices"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// Reservation is a mechanism that may run: the budget of a [FilterRun] has room for it, whatever it will output.
// Until it is committed or cancelled it is charged at its worst, and if it never is, for ever. It is safe for
// concurrent use. A copy is the same reservation.
type Reservation struct{ *reservation }

type reservation struct {
	run       *FilterRun
	partition string
	g         Guarantee
	worst     int  // the part with the largest ℰ
	isOver    bool // whether it was committed or cancelled
}

// lane is what a [FilterRun] remembers of the mechanisms that read some records.
type lane struct {
	spent any            // what the filter remembers of those that are over
	open  []*reservation // in the order in which they were reserved; some may be over, see [reservation.end]
	held  any            // what it would remember if then all of these, in that order, turned out at their worst
}

// Reserve admits a mechanism that is about to run, on a partition or, if that is "", on all of the data: if it fits
// beside what is spent and all open reservations, each of them and itself at its worst. For a [PartFilter] that is
// its worst part, for others what it guarantees as a whole. The error is as for [FilterRun.SpendOn]: then the
// mechanism must not run. Nor must it before [FilterRun.State] is stored, if that is to outlive the program.
func (r *FilterRun) Reserve(partition string, g Guarantee) (*Reservation, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reserve(partition, g)
}

func (r *FilterRun) reserve(partition string, g Guarantee) (*Reservation, error) {
	v := &reservation{run: r, partition: partition, g: g.clone(), worst: g.WorstPart()}
	err := r.step(partition, func(l lane) (lane, bool) {
		held, admitted := spendPart(r.filter, l.held, v.g, v.worst)
		return lane{l.spent, append(slices.Clip(l.open), v), held}, admitted
	})
	if err != nil {
		return nil, r.refusal(err, partition, g)
	}
	r.open++
	return &Reservation{v}, nil
}

// clone returns g in memory of its own.
func (g Guarantee) clone() Guarantee {
	g.Parts, g.Delta = slices.Clone(g.Parts), rational.Copy(g.Delta)
	for i := range g.Parts {
		g.Parts[i].Eps = loss.Copy(g.Parts[i].Eps)
	}
	if g.DP != nil {
		g.DP = &DPGuarantee{loss.Copy(g.DP.Eps), rational.Copy(g.DP.Delta)}
	}
	return g
}

// errNone is what Commit and Cancel return for the zero value.
var errNone = errors.New("the reservation is none, must come from Reserve")

// errIsOver is what Commit and Cancel return for a reservation that was committed or cancelled before.
var errIsOver = errors.New("the reservation is over, must be neither committed nor cancelled before")

// Commit charges a mechanism that has run for the part that was observed, and releases the rest of what was reserved.
// It does not fail for want of budget, nor exceed it. If the guarantee has no such part, which is a
// [*GuaranteeError], the mechanism is charged at its worst; the reservation is over then, too. Of one that is over
// nothing is charged again: that is an error.
func (v *Reservation) Commit(observed string) error {
	return v.finish(func() error {
		k, err := v.g.part(observed)
		if err != nil {
			k = v.worst
		}
		v.commit(k)
		return err
	})
}

// finish does what ends an open reservation, while nobody else does anything with the run.
func (v *Reservation) finish(end func() error) error {
	if v.reservation == nil {
		return errNone
	}
	v.run.mu.Lock()
	defer v.run.mu.Unlock()
	if v.isOver {
		return errIsOver
	}
	return end()
}

// commit charges for the part of a number.
func (v *reservation) commit(observed int) {
	v.run.n++
	v.end(func(l lane) (any, bool) { return spendPart(v.run.filter, l.spent, v.g, observed) })
}

// Cancel releases all that was reserved, for a mechanism that was not run: one that has read any data, even if it
// failed then, must be committed, at its worst part if no output was seen. For a reservation that is over that is an
// error.
func (v *Reservation) Cancel() error {
	return v.finish(func() error {
		v.end(func(l lane) (any, bool) { return l.spent, true })
		return nil
	})
}

// end takes v from the open reservations of its lanes, where what is spent becomes what charge returns.
//
// In exact numbers the others are still admitted after that, as no charge is larger than the worst one that was held.
// Sums that were rounded up may say otherwise, by 10^-76 or so. Then v stays where it is, charged at its worst, which
// was admitted.
func (v *reservation) end(charge func(lane) (any, bool)) {
	v.isOver = true
	v.run.open--
	_ = v.run.step(v.partition, func(l lane) (lane, bool) {
		spent, admitted := charge(l)
		if !admitted {
			return l, false
		}
		open := slices.DeleteFunc(slices.Clone(l.open), func(o *reservation) bool { return o == v })
		return lane{spent: spent, open: open}.settled(v.run.filter)
	})
}

// settled returns l with what is held, and whether that is admitted. Reservations that are over and were left at
// their worst are spent as soon as none that is open comes before them, which changes nothing of what is held.
func (l lane) settled(f Filter) (lane, bool) {
	l.held = l.spent
	open := l.open
	for i, o := range open {
		held, admitted := spendPart(f, l.held, o.g, o.worst)
		if !admitted {
			return l, false
		}
		if l.held = held; o.isOver && len(l.open) == len(open)-i {
			l.spent, l.open = held, open[i+1:]
		}
	}
	return l, true
}

// spend returns l after a mechanism that is over, and whether it is admitted beside those that are open.
func (l lane) spend(f Filter, g Guarantee, observed int) (lane, bool) {
	if len(l.open) > 0 {
		if _, admitted := spendPart(f, l.held, g, g.WorstPart()); !admitted {
			return l, false
		}
	}
	spent, admitted := spendPart(f, l.spent, g, observed)
	if !admitted {
		return l, false
	}
	return lane{spent: spent, open: l.open}.settled(f)
}
