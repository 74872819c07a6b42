package main

import (
	"encoding/json"
	"math/big"
	"strings"

	"checkrr/impl"
	"checkrr/impl/loss"
)

// How sums are printed: how many digits a decimal may have to be printed in full, and
// how many it is rounded to otherwise.
type precision struct{ full, rounded int }

var (
	forPrograms = precision{60, 20}
	forPeople   = precision{12, 6}
)

// maxRatio is how many characters the exact form of a sum may have in JSON.
const maxRatio = 4096

// number returns s as a decimal: s itself if that is short, otherwise the nearest one of
// few digits above s, or below.
func (p precision) number(s loss.Sum, up bool) (text string, isExact bool) {
	if r, ok := s.Rat(); ok && !s.IsRounded() {
		if text, ok := finite(r, p.full); ok {
			return text, true
		}
	}
	x := s.Bounds(uint(4*p.rounded) + 32)
	switch end := map[bool]*big.Float{true: x.Upper, false: x.Lower}[up]; end.Sign() {
	case 1:
		return roundTo(end, p.rounded, up).String(), false
	case -1:
		return "-" + roundTo(end.Neg(end), p.rounded, !up).String(), false
	}
	return "0", false
}

// finite returns r in decimal digits, if at most n of them are needed.
func finite(r *big.Rat, n int) (string, bool) {
	places, ok := r.FloatPrec()
	if !ok {
		return "", false
	}
	m := scaled(new(big.Int).Abs(r.Num()), places)
	m.Quo(m, new(big.Rat).SetInt(r.Denom())) // a whole number
	d := decimal{m.Num(), -places}
	if len(strings.TrimRight(d.mantissa.String(), "0")) > n {
		return "", false
	}
	if r.Sign() < 0 {
		return "-" + d.String(), true
	}
	return d.String(), true
}

// text returns s for a person: = 0.3, or ≤ 0.333334 if it had to be rounded up, or ≥.
func (p precision) text(s loss.Sum, up bool) string {
	text, isExact := p.number(s, up)
	switch {
	case isExact:
		return "= " + text
	case up:
		return "≤ " + text
	}
	return "≥ " + text
}

// cell is text in a table.
func (p precision) cell(s loss.Sum, up bool) string {
	return strings.TrimPrefix(p.text(s, up), "= ")
}

// amountText is an amount for a person.
func amountText(a impl.Amount, up bool) string {
	return "ε " + forPeople.text(a.Eps, up) + " and δ " + forPeople.text(a.Delta, up)
}

// amountJSON is an amount in JSON. A decimal that had to be rounded is followed by the
// number itself, or null if that is longer than maxRatio or was rounded up already.
type amountJSON struct {
	Eps        json.Number `json:"eps"`
	EpsExact   any         `json:"eps_exact,omitempty"`
	Delta      json.Number `json:"delta"`
	DeltaExact any         `json:"delta_exact,omitempty"`
}

func toAmountJSON(a impl.Amount, up bool) amountJSON {
	var out amountJSON
	out.Eps, out.EpsExact = sumJSON(a.Eps, up)
	out.Delta, out.DeltaExact = sumJSON(a.Delta, up)
	return out
}

func sumJSON(s loss.Sum, up bool) (json.Number, any) {
	text, isExact := forPrograms.number(s, up)
	if isExact {
		return json.Number(text), nil
	}
	if exact := s.String(); !s.IsRounded() && len(exact) <= maxRatio {
		return json.Number(text), exact
	}
	return json.Number(text), json.RawMessage("null")
}
