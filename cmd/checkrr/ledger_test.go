package main

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// manyEvents is a ledger of n events.
func manyEvents(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		at := fmt.Sprintf(`"time": "2026-11-%02dT%02d:%02d:00Z"`, i%28+1, i%24, i%60)
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, `{"mechanism": "svt", "parts": {"few": 0.3, "many": 1}, "delta": 1e-12, "observed": "few", %s, "note": "run %d"}`, at, i)
		case 1:
			fmt.Fprintf(&b, `{"mechanism": "iqr%d", "parts": {"value": 0.4, "⊥": 0.2}, "delta": 2e-12, "observed": "⊥", %s}`, i%50, at)
		case 2:
			fmt.Fprintf(&b, `{"mechanism": "count", "parts": {"all": 0.%016d}, "delta": 0, "observed": "all", %s}`, i*7919, at)
		case 3:
			fmt.Fprintf(&b, `{"mechanism": "training", "parts": {"after 50": 0.6, "after 100": 0.9, "after 200": 1.25}, "delta": 2.01e-13, "observed": "after 100", %s}`, at)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// BenchmarkLedger replays a ledger, and BenchmarkLedgerFloor only scans its lines: what
// no account can be faster than.
func BenchmarkLedger(b *testing.B) {
	text := manyEvents(10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r, err := newReplay(accountOptions{budget: "eps=1e9,delta=1"})
		if err != nil {
			b.Fatal(err)
		}
		r.run(newLedger("b", bytes.NewReader(text)), 0, io.Discard)
		if r.end != nil || r.spent.Events != 10_000 {
			b.Fatal(r.end, r.spent.Events)
		}
	}
	b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkLedgerFloor(b *testing.B) {
	text := manyEvents(10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		d := jsontext.NewDecoder(bytes.NewReader(text))
		for n := 0; ; n++ {
			if err := d.SkipValue(); err == io.EOF && n == 10_000 {
				break
			} else if err != nil {
				b.Fatal(err, n)
			}
		}
	}
	b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
