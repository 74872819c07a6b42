package audit

import (
	"encoding/binary"
	"runtime"
	"testing"

	"golang.org/x/sync/errgroup"
)

// Repeat runs audits of one claim with seeds of their own, and returns how many refute
// it: of a claim that is true, at most the share α may. Only verdicts are computed.
func Repeat(t *testing.T, claim Claim, o Options, audits int, pairs ...Pair) (refuted int) {
	t.Helper()
	first, err := newAuditor(claim, pairs, o)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := make([]bool, audits)
	workers, ctx := errgroup.WithContext(t.Context())
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range audits {
		workers.Go(func() error {
			one := o
			seed := first.seed(-3, i)
			one.Seed, one.Progress = binary.LittleEndian.Uint64(seed[:]), nil
			a, err := newAuditor(claim, pairs, one)
			if err != nil {
				return err
			}
			verdicts[i], err = a.play(ctx)
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		if v {
			refuted++
		}
	}
	return refuted
}
