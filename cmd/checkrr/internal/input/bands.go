package input

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
)

// bandsKey is the key of noise by a banded matrix: how many steps share what is added for one of them.
const bandsKey = "bands"

// inRounds makes the sample rate in fields that of a round: of the steps of a round a record may be sampled in one
// only, bands times as often.
func inRounds(fields []Field, bands Field, n int) error {
	at := func(key string) int { return slices.IndexFunc(fields, func(g Field) bool { return g.Key == key }) }
	i := at("sampling")
	switch {
	case at(adds) >= 0:
		return bands.fault(errors.New("is given beside adds, must be only one of them"))
	case at(maxBatch) >= 0:
		return bands.fault(errors.New("is given, must be for Poisson samples that are not cut: for the sample rate, or " +
			"for batch and records without sampling"))
	case i < 0:
		return bands.fault(errors.New("is given, must be with the sample rate, or with batch and records"))
	}
	rate, err := fields[i].Number()
	if err != nil {
		return err
	}
	if rate.Mul(rate, big.NewRat(int64(n), 1)); rate.Cmp(big.NewRat(1, 1)) > 0 {
		return bands.fault(fmt.Errorf("is %d, must be at most 1 over the sample rate: a record is sampled so many times as "+
			"often in one step of every %[1]d, and never in the others", n))
	}
	fields[i].Value = rate.RatString()
	return nil
}

// round is mechanisms that run one after another, so many times.
type round struct {
	times      int
	mechanisms []impl.Mechanism
	bands      int // that it is a round of, or of a part; at most 1 if it is none
}

// checkBands refuses bands, at least 1, of so many steps that make too many rounds, or are for groups, and notes them.
func (d *mechanisms) checkBands(bands, count int) error {
	if bands == 1 {
		return nil
	}
	if rounds := count / bands; rounds > maxEntries/2 {
		return &entryError{text: fmt.Sprintf("count and bands make %d rounds, must be at most %d", rounds, maxEntries/2)}
	}
	if d.neighbours.Group > 0 {
		return &entryError{text: fmt.Sprintf("bands is given, must be for one record, not for neighbours: %s: the rounds "+
			"of several records overlap", d.neighbours)}
	}
	d.bands = max(d.bands, bands)
	return nil
}

// roundsOf divides the steps of a mechanism into rounds of so many. All that a round loses is lost in its first step
// (docs/dominating-pairs.md, Lemma 9), in the others nothing.
func roundsOf(m impl.Mechanism, bands int) (all []round) {
	if bands == 1 || m.Count < 1 {
		return []round{{times: 1, mechanisms: []impl.Mechanism{m}}}
	}
	add := func(times, steps int) {
		first := m
		first.Count = 1
		r := round{times, []impl.Mechanism{first}, bands}
		if steps > 1 {
			nothing := impl.Mechanism{Eps: loss.Nats(new(big.Rat)), Delta: new(big.Rat), Count: steps - 1}
			r.mechanisms = append(r.mechanisms, nothing)
		}
		all = append(all, r)
	}
	if whole := m.Count / bands; whole > 0 {
		add(whole, bands)
	}
	if rest := m.Count % bands; rest > 0 {
		add(1, rest)
	}
	return all
}
