package command

import (
	"io"
	"math"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

// sampledOf is what came of an imagined audit by samples, of a claim with two parts, ε = 1/2 and 2, and δ = 0.01.
func sampledOf(s audit.Report) *audited {
	claim := audit.Claim{Parts: []audit.Part{{Name: "a", Eps: loss.Nats(big.NewRat(1, 2))},
		{Name: "b", Eps: loss.Nats(big.NewRat(2, 1))}}, Delta: big.NewRat(1, 100)}
	line := audit.Curve{{Eps: 0, Delta: 0.1}, {Eps: 0.4, Delta: 0.01}}
	s.Excluded = []audit.Curve{line, line}
	if s.Verdict == audit.Refuted {
		s.Witness = &audit.Witness{}
	} else {
		never := math.Inf(1)
		s.Seen = &audit.Seen{Eps: []float64{never, never}, Probability: []float64{math.NaN(), math.NaN()},
			Leaks: []float64{1, 1}, Delta: 1}
	}
	return &audited{
		subject: &subject{name: "m", claim: claim, charges: []string{"0.5", "2"}, delta: "0.01"},
		auditOptions: auditOptions{alpha: run.Number{Text: "1e-3", Value: big.NewRat(1, 1000)},
			seeEps: run.Number{Text: "3", Value: big.NewRat(3, 1)}}, sampled: &s,
	}
}

// TestAuditCut: numbers that time cuts off are said to be, and more time is advised; without that, more samples are.
func TestAuditCut(t *testing.T) {
	t.Parallel()
	const samples, longer = "draw more with --samples", "time was up before more was known, allow more with --timeout"
	for _, tt := range []struct {
		cut, interrupted bool
		stopped, advice  string
	}{{advice: samples}, {cut: true, advice: longer}, {stopped: " (stopped after 1s)", advice: longer},
		{cut: true, interrupted: true, advice: longer}} {
		r := sampledOf(audit.Report{Verdict: audit.NoViolation, Eps: []float64{0, 0}, Cut: tt.cut})
		r.stopped, r.isInterrupted = tt.stopped, tt.interrupted
		var b strings.Builder
		r.write(&b)
		for text, want := range map[string]bool{
			"\nSeen        an output that only one input has, in part a with probability 1, would have been\n": true,
			"\nCut off     time was up before what is Seen was worked out: these numbers are cut off by time, not by " +
				"samples\n": tt.cut,
			"\n            a longer --timeout brings better ones\n": tt.cut && !tt.interrupted,
		} {
			if strings.Contains(b.String(), text) != want {
				t.Errorf("%+v: that it says %q must be %t:\n%s", tt, text, want, b.String())
			}
		}
		if isCut := strings.Contains(string(inJSON(r.toJSON())), `"cut_by_time":true`); isCut != tt.cut {
			t.Errorf("%+v: in JSON cut is %t", tt, isCut)
		}
		if err := r.blindness(); err == nil || !strings.HasSuffix(err.Error(), ": "+tt.advice) {
			t.Errorf("%+v: got %v, want %s", tt, err, tt.advice)
		}
	}
	r := sampledOf(audit.Report{Verdict: audit.Refuted, Eps: []float64{0, 0}, Cut: true})
	var b strings.Builder
	if r.write(&b); !strings.Contains(b.String(), "Cut off     time was up before the bounds were worked out") {
		t.Errorf("a refuted claim:\n%s", b.String())
	}
}

// TestAuditLags: where no bound shows what refutes a claim, that is said, in the picture too.
func TestAuditLags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		verdict audit.Verdict
		eps     []float64
		delta   float64
		full    bool
		want    string
	}{
		{audit.Refuted, []float64{0.49, 1}, 0.01, false, "--full brings better ones\n"},
		{audit.Refuted, []float64{0.49, 1}, 0.01, true, "the evidence of all parts and rounds\n"},
		{audit.Refuted, []float64{0.51, 1}, 0.01, false, ""},
		{audit.Refuted, []float64{0.49, 2}, 0.01, false, ""},
		{audit.Refuted, []float64{0.49, 1}, 0.02, false, ""},
		{audit.NoViolation, []float64{0.49, 1}, 0, false, ""},
	} {
		r := sampledOf(audit.Report{Verdict: tt.verdict, Eps: tt.eps, Delta: tt.delta})
		r.limits.Full = tt.full
		var b strings.Builder
		r.write(&b)
		_, line, _ := strings.Cut(b.String(), "\nBounds      those of single parts may lag behind the verdict, ")
		if !strings.Contains(line, tt.want) || (line != "") != (tt.want != "") {
			t.Errorf("%+v prints\n%s", tt, b.String())
		}
		file := filepath.Join(t.TempDir(), "p.svg")
		if err := plotAudit(r, run.Plot{File: file}, io.Discard); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(contents(t, file), "single curves may lag behind") != (tt.want != "") {
			t.Errorf("%+v: the picture does not agree", tt)
		}
	}
}

// TestOrMore: what is seen from a number on is not said to be seen from a smaller one on.
func TestOrMore(t *testing.T) {
	t.Parallel()
	for p, want := range map[float64]string{0.1004: "0.11 or more", 0.1: "0.1 or more", 1.91e-4: "0.0002 or more",
		1.81e-5: "1.9e-05 or more", 0.999: "1 or more", 1: "1"} {
		if got := orMore(p); got != want {
			t.Errorf("%g: %s, must be %s", p, got, want)
		}
	}
}
