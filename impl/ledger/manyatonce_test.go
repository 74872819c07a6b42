package ledger

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"checkrr/impl/loss"
)

// TestReserveManyAtOnce: many callers reserve, commit and cancel at once. At no time has more been released on a
// partition than the budget, nothing is refused after its run, and in the end the sums are those of going through
// what was released, one by one.
func TestReserveManyAtOnce(t *testing.T) {
	t.Parallel()
	for name, f := range testFilters(t) {
		r := NewFilterRun(f)
		log := &releaseLog{run: NewFilterRun(f)}
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() { log.keepSpending(t, r, rand.New(rand.NewPCG(uint64(i), 1))) })
		}
		all.Wait()
		got, want := r.State(), log.run.State()
		if a := r.Read(); a.Open != 0 || a.Events != want.Events || !sameMemory(got.All, want.All) {
			t.Errorf("%s: %+v, %v, one by one %v", name, a, got, want)
		}
		for partition, memory := range want.Parts {
			if !sameMemory(got.Parts[partition], memory) {
				t.Errorf("%s, %q: %v, one by one %v", name, partition, got.Parts[partition], memory)
			}
		}
		if a := r.Read(); a.Events < 20 || a.Spent.Eps.Sign() == 0 {
			t.Errorf("%s: only %d events", name, a.Events)
		}
	}
}

func sameMemory(a, b any) bool {
	key := func(memory any) any { return memory.(interface{ Key() any }).Key() }
	return key(a) == key(b)
}

// releaseLog goes through what was released, one by one, in the order in which it was reported.
type releaseLog struct {
	mu  sync.Mutex
	run *FilterRun
}

// keepSpending reserves and runs mechanisms until enough have been refused.
func (l *releaseLog) keepSpending(t *testing.T, r *FilterRun, random *rand.Rand) {
	for refusals := 0; refusals < 40; {
		eps := func(most int64) loss.Epsilon { return loss.Nats(big.NewRat(1+random.Int64N(most), 100)) }
		g := guarantee("1e-8", eps(5), eps(40))
		partition := []string{"", "", "a", "b", "c"}[random.IntN(5)]
		v, err := r.Reserve(partition, g)
		if err != nil {
			refusals++
			continue
		}
		if a := r.Read(); !a.Spent.Within(a.Budget) {
			t.Errorf("spent %v", a.Spent)
		}
		if random.IntN(4) == 0 {
			err = v.Cancel()
		} else {
			observed := g.Parts[random.IntN(2)].Name
			l.mu.Lock()
			err = errors.Join(l.run.SpendOn(partition, g, observed), v.Commit(observed))
			l.mu.Unlock()
		}
		if err != nil {
			t.Errorf("after the run: %v", err)
		}
	}
}
