package calibrate

import (
	"context"
	"fmt"

	"checkrr/verify/audit"
)

// shown are the rows of a picture of detection: of those that are found after a few hundred outputs, three.
var shown = []string{
	"a cell of 100 without noise", "unary, as numbers", "a count in a text with a nonce",
	"a word of twelve leaks", "SVT with value", "a leak over an interval",
}

// Detection measures how often hidden violations are found by a number of outputs. Audits of at most as many as the last of sizes
// stop when they have refuted, so that one of them tells for all sizes.
func Detection(ctx context.Context, sizes []int, o audit.Options, audits int, progress func(done float64)) ([]Curve, error) {
	rows := map[string]Hidden{}
	for _, h := range Hiddens() {
		rows[h.Name] = h
	}
	o.Samples = sizes[len(sizes)-1]
	curves := make([]Curve, len(shown))
	for i, name := range shown {
		needed, err := neededBy(ctx, rows[name], o, audits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		curves[i].Label = name
		for _, size := range sizes {
			refuted := 0
			for _, n := range needed {
				if n <= size {
					refuted++
				}
			}
			r, err := rateOf(name, size, refuted, audits)
			if err != nil {
				return nil, err
			}
			curves[i].Rates = append(curves[i].Rates, r)
		}
		progress(float64(i+1) / float64(len(shown)))
	}
	return curves, nil
}

// neededBy returns how many outputs of each input refuted the claim, for those audits that refuted it. Their seeds follow each other.
func neededBy(ctx context.Context, h Hidden, o audit.Options, audits int) (needed []int, err error) {
	o.Bits = h.Bits
	for range audits {
		r, err := audit.Run(ctx, h.Claim, []audit.Pair{h.Wrong}, o)
		if err == nil {
			err = ctx.Err() // a report is about less then
		}
		if err != nil {
			return nil, err
		}
		if r.Verdict == audit.Refuted {
			needed = append(needed, r.Samples)
		}
		o.Seed++
	}
	return needed, nil
}
