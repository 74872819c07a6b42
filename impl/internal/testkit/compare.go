package testkit

import (
	"slices"
	"testing"
	"time"
)

// Compare runs f and g in turn, at least five times each, and reports the median
// times and the median of the ratios f/g.
func Compare(b *testing.B, f, g func()) {
	var fs, gs, ratios []float64
	seconds := func(h func()) float64 {
		start := time.Now()
		h()
		return time.Since(start).Seconds()
	}
	f()
	g()
	for len(ratios) < 5 || b.Loop() {
		x, y := seconds(f), seconds(g)
		fs, gs, ratios = append(fs, x), append(gs, y), append(ratios, x/y)
	}
	median := func(xs []float64) float64 {
		slices.Sort(xs)
		return xs[len(xs)/2]
	}
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(fs)*1e3, "ms")
	b.ReportMetric(median(gs)*1e3, "base-ms")
	b.ReportMetric(0, "ns/op")
}
