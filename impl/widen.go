package impl

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"sync"
)

// maxWide and maxWideNodes are the largest numbers of multiplications, and of nodes,
// in wider arithmetic; a node takes about 200 bytes.
const (
	maxWide      = 4e8
	maxWideNodes = 2e6
)

// widen repeats the recursion in big.Float, with more and more bits, if r is wider
// than requested.
func (s *solver) widen(ctx context.Context, r *Result, err error) (*Result, error) {
	if err != nil || r.Shortfall != "" || s.width(r) <= s.RelWidth {
		return r, err
	}
	b, ok := smallestBox(s.pipeline)
	if !ok || b.size > maxWideNodes {
		r.fallShort("float64 certifies no more, and there are too many states for wider arithmetic")
		return r, nil
	}
	work := 4 * (cost(s.pipeline, b) + tableCost(s.pipeline, b))
	if work > maxWide {
		r.fallShort("float64 certifies no more, and wider arithmetic would take %.2g multiplications, the limit is %.2g", work, maxWide)
		return r, nil
	}
	if s.pipeline.total() > maxExponent/2 {
		r.fallShort("float64 certifies no more, and the losses are too large for wider arithmetic")
		return r, nil
	}
	prec := uint(64 * math.Ceil((math.Log2(work)-math.Log2(s.RelWidth)+48)/64))
	for ; prec <= 4096; prec *= 2 {
		if err := s.wider(ctx, r, b, prec, work); err != nil {
			return r.cut(err)
		}
		if s.width(r) <= s.RelWidth {
			return r, nil
		}
	}
	r.fallShort("%s certifies no more", r.Arithmetic)
	return r, nil
}

// wider narrows r with numbers of prec bits: lower bounds rounded down, upper
// bounds rounded up, one on each core.
func (s *solver) wider(ctx context.Context, r *Result, b *box, prec uint, work float64) error {
	var values [2]*big.Float
	var singles [2][]*big.Float
	var errs [2]error
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			st := newStates(wide{prec, i == 1, func() bool { return ctx.Err() != nil }}, s.pipeline, b)
			if i == 0 {
				st.progress = s.counter(work / 2)
			}
			if values[i], _, errs[i] = st.game(ctx); errs[i] == nil {
				singles[i], errs[i] = st.singles(ctx)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	r.Arithmetic = fmt.Sprintf("big.Float with %d bits", prec)
	r.setSingles(pairs(singles[0], singles[1]))
	r.OptDel = r.OptDel.meet(Interval{values[0], values[1]})
	return nil
}

// tableCost returns how many multiplications [wide.payoffs] takes for its tables.
func tableCost(p Pipeline, b *box) float64 {
	at, sum := b.root(), 0.0
	p.runs(func(entry, count int, end bool) {
		at = b.step(at, entry, count, 1)
		for _, used := range at.used {
			if end {
				sum += float64(used + 1)
			}
		}
	})
	return sum
}
