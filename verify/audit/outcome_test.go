package audit

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

func pair(p, q string) [2]*big.Rat { return [2]*big.Rat{rat.Of(p), rat.Of(q)} }

func outcomeRow(output, part string, p [2]*big.Rat) Outcome {
	return Outcome{Output: output, Part: part, P: p}
}

var partsAB = Claim{[]Part{{"a", exp2}, {"b", loss.Nats(rat.Of("0"))}}, rat.Of("0")}

// By hand: a has 3/8 against 1/8 at e^ε = 2, which needs 1/8; b has 1/4 against 1/2 the other way, which needs 1/4.
func TestFiniteLaw_PartsByHand(t *testing.T) {
	law, err := FiniteLaw(partsAB, [2]string{"x", "y"}, []Outcome{
		outcomeRow("1", "a", pair("3/8", "1/8")), outcomeRow("1", "b", pair("1/4", "1/2")),
		outcomeRow("2", "b", pair("3/8", "3/8"))})
	if err != nil {
		t.Fatal(err)
	}
	f, err := law.Check(partsAB)
	if err != nil || !f.Refuted || f.Exact.Cmp(rat.Of("1/4")) != 0 || f.Direction != 1 {
		t.Errorf("%v, %+v, must be refuted: 1/2 − 1/4 = 1/4", err, f)
	}
	for k, want := range []struct {
		delta            string
		direction, event int
	}{{"1/8", 0, 0}, {"1/4", 1, 1}} {
		if x := f.Parts[k]; x.Exact.Cmp(rat.Of(want.delta)) != 0 || x.Direction != want.direction ||
			len(x.Event) != 1 || x.Event[0] != want.event {
			t.Errorf("part %d: %+v, must be %+v", k, x, want)
		}
	}
}

func TestFiniteLaw_Errors(t *testing.T) {
	half := outcomeRow("x", "a", pair("1/2", "1/2"))
	for want, table := range map[string][]Outcome{
		"p0 sums to 0, must sum to 1":                        nil,
		"p0 sums to 1/2, must sum to 1":                      {half},
		"p1 sums to 3/4, must sum to 1":                      {half, outcomeRow("y", "a", pair("1/2", "1/4"))},
		`output 2: output is "x", must not be there twice`:   {half, half},
		`output 1: part is "c", must be a part of the claim`: {outcomeRow("x", "c", pair("1", "1"))},
		"output 1: p1 is -1/2, must be between 0 and 1":      {outcomeRow("x", "a", pair("1", "-1/2"))},
		"output 1: p0 is missing, must be between 0 and 1":   {outcomeRow("x", "a", [2]*big.Rat{})},
		"output 1: p0 is 3/2, must be between 0 and 1":       {outcomeRow("x", "a", pair("3/2", "1"))},
		"output 1: p0 and those before have no common denominato": {outcomeRow("x", "a",
			[2]*big.Rat{new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), 1<<17)), one})},
	} {
		_, err := FiniteLaw(partsAB, [2]string{"x", "y"}, table)
		if fault, ok := errors.AsType[*OutcomeError](err); !ok || !strings.HasPrefix(fault.Error(), want) {
			t.Errorf("error is %v, must begin with %q", err, want)
		}
	}
}

func TestSource_Errors(t *testing.T) {
	for want, s := range map[string]Source[int]{
		"has no values":              {Count: 1},
		"count is 0":                 {Values: []int{1}, P: []*big.Rat{one}},
		"sums to 1/2, must sum to 1": {Values: []int{1}, P: []*big.Rat{rat.Of("1/2")}, Count: 1},
		"are too many":               {Values: []int{1, 2}, P: []*big.Rat{rat.Of("1/2"), rat.Of("1/2")}, Count: 21},
		"must be between 0 and 1":    {Values: []int{1, 2}, P: []*big.Rat{rat.Of("-1/2"), rat.Of("3/2")}, Count: 1},
		"no common denominator ": {Values: []int{1},
			P: []*big.Rat{new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), 1<<17))}, Count: 1},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, must have %q in it", err, want)
		}
	}
}
