package audit

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// about returns an interval of width 2e-30 around a number.
func about(s string) interval.Interval {
	x, slack := rat.Of(s), rat.Of("1e-30")
	return interval.New(lawBits.Down().SetRat(rat.Sub(x, slack)), lawBits.Up().SetRat(rat.Add(x, slack)))
}

func approximate(name string, part int, p0, p1 string) Cell {
	return Cell{Name: name, Part: part, P: [2]interval.Interval{about(p0), about(p1)}}
}

func exact(name string, part int, p0, p1 string) Cell {
	return ExactCell(name, part, rat.Of(p0), rat.Of(p1))
}

var (
	ln2Low = rat.Of("0.693147180559945309417232121458")
	exp2   = loss.Exp(rat.Of("2"))
)

// Laws by hand: at e^ε = 2, an output with 2/3 against 1/3 needs no δ; with 3/4 against 1/4
// it needs 1/4.
func TestCheck_ByHand(t *testing.T) {
	for name, test := range map[string]struct {
		law             Law
		claim           Claim
		refuted, proved bool
		low, high       float64 // of δ
		loss            float64 // of the first part, at least
	}{
		"not complete": {Law{Cells: []Cell{approximate("x", 0, "1/4", "1/4")}}, DP(exp2, rat.Of("0")),
			false, false, 0, 1, -1e-20},
		"not complete, enough": {Law{Cells: []Cell{approximate("x", 0, "1/4", "1/16")}}, DP(exp2, rat.Of("0.12")), true,
			false, 0.125, 1, math.Log(4)},
		"loss known, tight": {Law{Cells: []Cell{
			approximate("x", 0, "2/3", "1/3").WithLoss(ln2Low, ln2Low), approximate("y", 0, "1/3",
				"2/3").WithLoss(new(big.Rat).Neg(ln2Low), new(big.Rat).Neg(ln2Low))}, Complete: true},
			DP(loss.Nats(ln2Low), rat.Of("0")), false, true, 0, 0, math.Ln2},
		"loss above throughout": {Law{Cells: []Cell{
			approximate("x", 0, "2/3", "1/6").WithLoss(rat.Of("1"), rat.Of("2")),
			approximate("y", 0, "1/3", "5/6").WithLoss(rat.Of("-2"), rat.Of("-9/10"))}, Complete: true},
			DP(exp2, rat.Of("1/4")), true, false, 1.0 / 3, 1.0 / 3, math.Log(4)},
		"loss between": {Law{Cells: []Cell{exact("x", 0, "1/2", "1/2").WithLoss(rat.Of("-1"), rat.Of("1")),
			exact("y", 0, "1/2", "1/2").WithLoss(rat.Of("-1"), rat.Of("1"))}, Complete: true},
			DP(exp2, rat.Of("0")), false, false, 0, 1 - 2/math.E, -1e-20},
		"loss below throughout": {Law{Cells: []Cell{exact("x", 0, "1/2", "1/2").WithLoss(rat.Of("-1/2"), rat.Of("1/2")),
			exact("y", 0, "1/2", "1/2").WithLoss(rat.Of("0"), rat.Of("0"))}, Complete: true},
			DP(exp2, rat.Of("0")), false, true, 0, 0, -1e-20},
		"loss without end, above throughout": {Law{Cells: []Cell{approximate("x", 0, "2/3", "1/6").WithLoss(rat.Of("1"),
			nil), approximate("y", 0, "1/3", "5/6").WithLoss(nil, rat.Of("-9/10"))}, Complete: true},
			DP(exp2, rat.Of("1/4")), true, false, 1.0 / 3, 1.0 / 3, math.Log(4)},
		"loss without end, from below": {Law{Cells: []Cell{approximate("x", 0, "1/2", "1/4").WithLoss(rat.Of("0"), nil),
			approximate("y", 0, "1/2", "3/4").WithLoss(nil, rat.Of("0"))}, Complete: true},
			DP(loss.Exp(rat.Of("3/2")), rat.Of("4/5")), false, true, 1.0 / 8, 3.0 / 4, math.Ln2},
	} {
		f, err := test.law.Check(test.claim)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		low, _ := f.Delta.Lower.Float64()
		high, _ := f.Delta.Upper.Float64()
		loss, _ := f.Losses[0].Loss.Lower.Float64()
		if f.Refuted != test.refuted || f.Proved != test.proved {
			t.Errorf("%s: refuted %v, proved %v, must be %v, %v", name, f.Refuted, f.Proved, test.refuted, test.proved)
		}
		if low > test.low+1e-15 || high < test.high-1e-15 || high-low > math.Max(0, test.high-test.low)*1.5+1e-15 {
			t.Errorf("%s: δ is [%g, %g], must be about [%g, %g]", name, low, high, test.low, test.high)
		}
		if loss < test.loss-1e-15 || loss > test.loss+1e-15 && test.loss > 0 {
			t.Errorf("%s: loss is at least %g, must be %g", name, loss, test.loss)
		}
	}
}

// The event is one that shows δ: P − e^ε·P' over it.
func TestCheck_Event(t *testing.T) {
	law := Law{Cells: []Cell{exact("a", 0, "1/8", "5/8"), exact("b", 0, "3/8", "1/8"), exact("c", 0, "1/2", "1/4")},
		Complete: true}
	f, err := law.Check(DP(exp2, rat.Of("0")))
	if err != nil || f.Direction != 1 || len(f.Event) != 1 || f.Event[0] != 0 {
		t.Errorf("%v, direction %d, event %v, must be 1 and cell 0: 5/8 − 2·1/8", err, f.Direction, f.Event)
	}
	if p := f.Losses[0]; p.Cell != 0 || p.Direction != 1 {
		t.Errorf("loss in cell %d, direction %d, must be in cell 0, direction 1", p.Cell, p.Direction)
	}
}

func TestCheck_BadInput(t *testing.T) {
	half := exact("x", 0, "1/2", "1/2")
	for want, law := range map[string]Law{
		"the law has no cells":                     {},
		"part is 1, must be at least 0 and le":     {Cells: []Cell{exact("x", 1, "1/2", "1/2")}},
		"probability is [-0.5, -0.5], must be":     {Cells: []Cell{exact("x", 0, "-1/2", "1/2")}},
		"must sum to 1, or less if outputs are mi": {Cells: []Cell{half, half, half}},
		"on input q sum to [0.5, 0.5], must sum":   {Inputs: [2]string{"q", "r"}, Cells: []Cell{half}, Complete: true},
		"loss is from 2/1 to 1/1, must be from a ": {Cells: []Cell{half.WithLoss(rat.Of("2"), rat.Of("1"))}},
		"must fit probabilities of about 0.5":      {Cells: []Cell{half.WithLoss(rat.Of("1"), rat.Of("2"))}},
		"loss is from -2 to -1, must fit":          {Cells: []Cell{half.WithLoss(rat.Of("-2"), rat.Of("-1"))}},
		"loss is from 1 to infinity, must fit":     {Cells: []Cell{half.WithLoss(rat.Of("1"), nil)}},
		"loss is from -infinity to -1, must fit":   {Cells: []Cell{half.WithLoss(nil, rat.Of("-1"))}},
		"must be in [0.25, 0.25]": {Cells: []Cell{{P: [2]interval.Interval{lawBits.Rat(rat.Of("1/4")),
			lawBits.Rat(rat.Of("1/4"))}, Exact: half.Exact}}},
		"probability is [<nil>, <nil>], must ": {Cells: []Cell{{}}},
	} {
		if _, err := law.Check(DP(exp2, rat.Of("0"))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, must contain %q", err, want)
		}
	}
	if _, err := (Law{Cells: []Cell{half}}).Check(Claim{}); err == nil {
		t.Error("no claim: no error")
	}
}

// A loss without a bound has none in what is found, in the direction where it is.
func TestCheck_UnboundedLoss(t *testing.T) {
	law := Law{Cells: []Cell{exact("x", 0, "2/3", "1/3").WithLoss(rat.Of("0"), nil),
		exact("y", 0, "1/3", "2/3").WithLoss(rat.Of("-1"), rat.Of("0"))}, Complete: true}
	f, err := law.Check(DP(exp2, rat.Of("1")))
	if err != nil || !f.Losses[0].Loss.Upper.IsInf() || f.Losses[0].Loss.Lower.IsInf() {
		t.Errorf("%v, loss %v, must be from ln 2 to infinity", err, f.Losses[0].Loss)
	}
}

// A part without cells has no loss.
func TestCheck_EmptyPart(t *testing.T) {
	claim := Claim{[]Part{{"a", loss.Nats(rat.Of("1"))}, {"b", loss.Nats(rat.Of("0"))}}, rat.Of("0")}
	f, err := Law{Cells: []Cell{exact("x", 0, "1/2", "1/2")}}.Check(claim)
	if err != nil || f.Losses[1].Cell != -1 || !f.Losses[1].Loss.Lower.IsInf() || !f.Losses[1].Loss.Upper.IsInf() {
		t.Errorf("%v, %+v", err, f.Losses[1])
	}
}
