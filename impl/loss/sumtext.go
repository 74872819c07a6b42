package loss

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// maxSumBits is how many bits the fractions of a sum may take.
const maxSumBits = 8192

// maxSumText is more characters than a sum of so many bits takes.
const maxSumText = 4000

// roundedMark ends the text of a sum that was rounded up.
const roundedMark = " rounded up"

// MarshalText returns s exactly, and as it is held, such as "0.3 + 1/3 + ln(27/8)", so that adding goes on from it as
// from s: a whole number of 10^-18, a ratio, and a logarithm, as far as they are not 0. " rounded up" follows if s
// [Sum.IsRounded].
//
// Which part is in 10^-18 and which is in the ratio matters, as it is the ratio's size that decides when a sum is
// rounded.
func (s Sum) MarshalText() ([]byte, error) {
	var terms []string
	if !s.units.isZero() {
		decimal := s.units.rat().FloatString(unitDigits)
		terms = append(terms, strings.TrimSuffix(strings.TrimRight(decimal, "0"), "."))
	}
	if s.rest != nil && s.rest.Sign() != 0 {
		terms = append(terms, s.rest.String()) // with a denominator, always
	}
	if s.exp != nil {
		terms = append(terms, "ln("+s.exp.String()+")")
	}
	text := strings.Join(terms, " + ")
	if len(terms) == 0 {
		text = "0"
	}
	if s.rounded {
		text += roundedMark
	}
	return []byte(text), nil
}

// UnmarshalText reads what MarshalText returns. An error continues a sentence that starts with the name of the sum.
func (s *Sum) UnmarshalText(text []byte) error {
	if len(text) > maxSumText {
		return fmt.Errorf("has %d characters, must have at most %d", len(text), maxSumText)
	}
	exact, isRounded := strings.CutSuffix(string(text), roundedMark)
	sum, ok := Sum{rounded: isRounded}, true
	for term := range strings.SplitSeq(exact, " + ") {
		ok = ok && sum.addTerm(term)
	}
	switch {
	case !ok:
		return fmt.Errorf(`is %.60q, must be a sum such as "0.3 + 1/3 + ln(27/8)", with no decimal below 0`, text)
	case sum.size() > maxSumBits:
		return fmt.Errorf("takes %d bits, must take at most %d", sum.size(), maxSumBits)
	case sum.exp != nil && sum.exp.Sign() <= 0:
		return errors.New("has the logarithm of a number that is not more than 0")
	}
	*s = sum.normal()
	return nil
}

// addTerm reads a term of which there is none yet, and reports whether it could.
func (s *Sum) addTerm(term string) (ok bool) {
	inner, isLog := strings.CutPrefix(term, "ln(")
	switch {
	case isLog:
		inner, ok = strings.CutSuffix(inner, ")")
		if !ok || s.exp != nil {
			return false
		}
		s.exp, ok = ratioOf(inner)
	case strings.Contains(term, "/"):
		if s.rest != nil {
			return false
		}
		s.rest, ok = ratioOf(term)
	default:
		if !s.units.isZero() {
			return false
		}
		s.units, ok = decimalUnits(term)
	}
	return ok
}

// ratioOf reads a ratio of whole numbers, which may be negative.
func ratioOf(text string) (*big.Rat, bool) {
	num, denom, ok := strings.Cut(text, "/")
	if !ok || !isDigits(strings.TrimPrefix(num, "-")) || !isDigits(denom) || strings.Trim(denom, "0") == "" {
		return nil, false
	}
	n, _ := new(big.Int).SetString(num, 10)
	d, _ := new(big.Int).SetString(denom, 10)
	return new(big.Rat).SetFrac(n, d), true
}

// decimalUnits reads a decimal of at most 18 places, in units.
func decimalUnits(text string) (uint128, bool) {
	whole, fraction, hasFraction := strings.Cut(text, ".")
	if !isDigits(whole) || hasFraction && !isDigits(fraction) || len(fraction) > unitDigits || len(text) > 40 {
		return uint128{}, false
	}
	n, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", unitDigits-len(fraction)), 10)
	if !ok || n.BitLen() > 128 {
		return uint128{}, false
	}
	low := new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1))
	return uint128{n.Rsh(n, 64).Uint64(), low.Uint64()}, true
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
