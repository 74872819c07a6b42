package audit

import "context"

// Streamer is a [Sampler] that can draw in portions, so that a lot of outputs need little memory.
type Streamer interface {
	// Stream draws the outputs that Sample would draw, and calls each with some after the other.
	// Errors: those of Sample and of each, at once.
	Stream(ctx context.Context, n int, seed [32]byte, each func(*Sample) error) error
}

// intake takes in the outputs of one input in one half of a look: it counts them, and chooses what is kept of them.
type intake struct {
	views []*round // the partitions that outputs are counted in; none if nothing is
	claim Claim
	choose
	count int
	cells [][]int // by view, how many outputs are in each
	kept  *Sample
}

// take draws n outputs.
func (i *intake) take(ctx context.Context, sampler Sampler, n int, seed [32]byte) error {
	if streamer, ok := sampler.(Streamer); ok {
		return streamer.Stream(ctx, n, seed, i.add)
	}
	s := &Sample{}
	if err := sampler.Sample(ctx, n, seed, s); err != nil {
		return err
	}
	return i.add(s)
}

// add takes in some outputs.
func (i *intake) add(s *Sample) error {
	if err := s.check(i.claim); err != nil {
		return err
	}
	for v, view := range i.views {
		counts, err := view.model.count(s)
		if err != nil {
			return err
		}
		for c, k := range counts {
			i.cells[v][c] += k
		}
	}
	i.count += s.Count()
	if chosen := i.choose.of(s); i.count == s.Count() {
		i.kept = chosen
	} else {
		i.kept.merge(chosen)
	}
	return nil
}
