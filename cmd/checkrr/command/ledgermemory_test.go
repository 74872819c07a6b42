package command

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// endlessLedger is a ledger of many events that is made as it is read, and notes how much memory is in use early on and
// at the end.
type endlessLedger struct {
	events, next int
	rest         []byte
	early, late  uint64
}

func (l *endlessLedger) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		switch l.next {
		case l.events / 2:
			l.early = heapInUse()
		case l.events:
			l.late = heapInUse()
			return 0, io.EOF
		}
		l.rest = fmt.Appendf(nil, `{"mechanism": "m%d", "parts": {"x": 0.%09d, "y": "%d/7"}, "delta": 1e-15, `+
			`"observed": "x"}`+"\n",
			l.next%2000, l.next%90_000+1, l.next%3+1)
		l.next++
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestLedgerMemory: by every rule, the last events of a long ledger take no more memory than the first: at the end
// there is hardly more than after half of them. With -full, of a million events.
func TestLedgerMemory(t *testing.T) {
	events, every := 12_000, 4
	if *full {
		events, every = 1_000_000, 1
	}
	const most = 300_000 // bytes more: less than 50 for each of 6,000 events
	plot := filepath.Join(t.TempDir(), "o.svg")
	for i, command := range []string{
		"account --budget eps=1e5,delta=1", "account", "account --budget eps=1e5,delta=1e-2 --rule adaptive",
		"account --budget eps=1e5,delta=1e-2 --rule zcdp", "account --budget eps=1e5,delta=1e-2 --rule odp-advanced",
		"odometer --delta 1e-2 --rule filter", "odometer --delta 1e-2 --rule mixture --json",
		"odometer --delta 1e-2 --rule stitched", "odometer --delta 1e-2 --rule best --json --plot " + plot,
		"odometer --delta 1e-2 --rule rogers --size 1000",
	} {
		if i%every > 0 {
			continue
		}
		l := &endlessLedger{events: events}
		var stderr strings.Builder
		if code := execute(append(strings.Fields(command), "-"), l, io.Discard, &stderr); code != exitOK {
			t.Fatalf("%s: %s", command, &stderr)
		}
		if l.late > l.early+most {
			t.Errorf("%s: %d bytes are in use after %d events, and %d after %d", command, l.early, events/2, l.late,
				events)
		}
	}
}
