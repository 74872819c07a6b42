package audit_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// The tables of docs/audit.md: how often audits refute claims that are wrong. Those of true claims are printed by
// [TestStatistical_FalseAlarms] and [TestStatistical_KindAlarms].
var (
	measured  = flag.String("measure", "", "measure power or hidden as docs/audit.md shows them")
	repeated  = flag.Int("audits", 0, "of -measure: how many of each, other than docs/audit.md has")
	rows      = flag.String("rows", "", "of -measure hidden: only those whose name contains this")
	twins     = flag.Bool("right", false, "of -measure hidden: audit the right twins")
	firstSeed = flag.Uint64("first", 1, "of -measure hidden: the first seed")
	size      = flag.Int("size", 0, "of -measure hidden: outputs; 0 for those of the row")
)

// ofMeasure skips a measurement that is not asked for, and returns how many audits there are of each.
func ofMeasure(t *testing.T, name string, audits int) int {
	if *measured != name {
		t.Skip("a measurement: see -measure")
	}
	if *repeated > 0 {
		return *repeated
	}
	return audits
}

// TestMeasure_Power measures too little Laplace noise, and outputs that reveal the input: of several sizes, and of the
// size that an audit of a true claim with as many samples reports as seen.
func TestMeasure_Power(t *testing.T) {
	audits := ofMeasure(t, "power", 100)
	const most, mostNumbers = 10_000_000, 1_000_000 // numbers take ten times as long
	const mostLeak = 0.5                            // of a response
	seenNoise := func(o audit.Options) subject {
		eps := seenIn(t, "laplace", mechanisms.Params{Eps: one}, o).Eps[0]
		if math.IsInf(eps, 1) {
			return noisy(t, "1") // nothing is seen: a true claim
		}
		return noisy(t, decimal(1/eps))
	}
	seenLeak := func(o audit.Options) subject {
		seen := seenIn(t, "randomized-response", mechanisms.Params{Eps: one}, o)
		if seen.Delta > mostLeak {
			return noisy(t, "1")
		}
		return leaking(t, decimal(seen.Delta))
	}
	type violation struct {
		label string
		most  int
		at    func(audit.Options) subject
	}
	var violations []violation
	for _, percent := range []int{1, 3, 10} {
		factor := fmt.Sprint(float64(100-percent) / 100)
		violations = append(violations, violation{fmt.Sprintf("%d %% too little noise", percent), mostNumbers,
			func(audit.Options) subject { return noisy(t, factor) }})
	}
	for _, p := range []string{"1e-3", "1e-4", "1e-5"} {
		violations = append(violations, violation{"leak with probability " + p, most,
			func(audit.Options) subject { return leaking(t, p) }})
	}
	violations = append(violations, violation{"noise reported as seen", mostNumbers, seenNoise},
		violation{"leak reported as seen", most, seenLeak})
	for _, v := range violations {
		row := "| " + v.label + " |"
		for _, samples := range []int{1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7} {
			if samples <= v.most {
				o := audit.Options{Samples: samples, Alpha: 0.01, Seed: 1}
				row += fmt.Sprintf(" %.2g |", float64(v.at(o).refutations(t, o, audits))/float64(audits))
			}
		}
		t.Log(row)
	}
}

// TestMeasure_Hidden measures how soon hidden violations are found, and in what time; or how often the right twins are
// refuted. Audits stop when they have refuted, so that one of them tells for all numbers of samples.
func TestMeasure_Hidden(t *testing.T) {
	audits := ofMeasure(t, "hidden", 20)
	for _, h := range hiddenRows() {
		if !strings.Contains(h.name, *rows) {
			continue
		}
		pair, claim := h.wrong, h.claim
		if *twins {
			pair, claim = h.right, h.twin
		}
		var needed []int
		start := time.Now()
		for seed := range uint64(audits) {
			o := audit.Options{Samples: h.samples, Alpha: 0.01, Seed: *firstSeed + seed, Bits: h.bits}
			if *size > 0 {
				o.Samples = *size
			}
			if r := auditOf(t, claim, o, pair); r.Verdict == audit.Refuted {
				needed = append(needed, r.Samples)
			}
		}
		slices.Sort(needed)
		t.Logf("%s: refuted %d of %d, with %v, %v each", h.name, len(needed), audits, needed,
			time.Since(start)/time.Duration(audits))
	}
}
