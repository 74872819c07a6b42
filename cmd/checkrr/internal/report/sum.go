package report

import (
	"math/big"
	"strings"

	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// Shorter returns an ε above 0 that is no decimal of 18 places with 15 digits, rounded up: a bound that was rounded,
// which no sum of what was typed is.
func Shorter(eps loss.Sum) loss.Sum {
	const digits, unit = 15, 1_000_000_000_000_000_000
	if x, ok := eps.Rat(); eps.Sign() <= 0 || ok && new(big.Rat).Mul(x, big.NewRat(unit, 1)).IsInt() {
		return eps
	}
	return loss.OfRat(RoundTo(eps.Bounds(64).Upper, digits, true).Rat())
}

// Precision says how sums are printed: how many digits a decimal may have to be printed in full, and
// how many it is rounded to otherwise.
type Precision struct{ full, rounded int }

// The precisions.
var (
	ForPeople = Precision{12, 6} // tables and messages
	Roughly   = Precision{2, 2}
	AsTyped   = Precision{24, 6} // of a number that somebody typed
)

// number returns s as a decimal: s itself if that is short, otherwise the nearest one of
// few digits above s, or below.
func (p Precision) number(s loss.Sum, up bool) (text string, isExact bool) {
	if r, ok := s.Rat(); ok && !s.IsRounded() {
		if text, ok := Finite(r, p.full); ok {
			return text, true
		}
	}
	x := s.Bounds(uint(4*p.rounded) + 32)
	switch end := map[bool]*big.Float{true: x.Upper, false: x.Lower}[up]; end.Sign() {
	case 1:
		return RoundTo(end, p.rounded, up).String(), false
	case -1:
		return RoundTo(end.Neg(end), p.rounded, !up).Negative(), false
	}
	return "0", false
}

// Text returns s for a person: = 0.3, or ≤ 0.333334 if it had to be rounded up, or ≥.
func (p Precision) Text(s loss.Sum, up bool) string {
	text, isExact := p.number(s, up)
	switch {
	case isExact:
		return "= " + text
	case up:
		return "≤ " + text
	}
	return "≥ " + text
}

// Cell is Text in a table.
func (p Precision) Cell(s loss.Sum, up bool) string {
	return strings.TrimPrefix(p.Text(s, up), "= ")
}

// Amount is an amount for a person.
func (p Precision) Amount(a ledger.Amount, up bool) string {
	return "ε " + p.Text(a.Eps, up) + " and δ " + p.Text(a.Delta, up)
}
