package audit

import (
	"strconv"
	"strings"
)

// isWordByte reports whether a byte of a text is of a word: a letter, a digit or no ASCII.
func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// eachWord calls f with the words of a text.
func eachWord(s string, f func(word string)) {
	for i := 0; i < len(s); i++ {
		if !isWordByte(s[i]) {
			continue
		}
		start := i
		for i < len(s) && isWordByte(s[i]) {
			i++
		}
		f(s[start:i])
	}
}

// hasWord reports whether a word is in a text.
func hasWord(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || !isWordByte(s[i-1])) && (end == len(s) || !isWordByte(s[end])) {
			return true
		}
		from = i + 1
	}
}

// eachNumber calls f with every decimal number of a text, until f is
// false. Digits that letters follow or precede are none: they are of names.
func eachNumber(s string, f func(number string) bool) {
	for i := 0; i < len(s); {
		if !isWordByte(s[i]) {
			i++
			continue
		}
		start := i
		if isDigit(s[i]) {
			if end := endOfNumber(s, i); end == len(s) || !isWordByte(s[end]) {
				if start > 0 && s[start-1] == '.' {
					start--
				}
				if start > 0 && (s[start-1] == '-' || s[start-1] == '+') && (start == 1 || !isWordByte(s[start-2])) {
					start--
				}
				if !f(s[start:end]) {
					return
				}
				i = end
				continue
			}
		}
		for i < len(s) && isWordByte(s[i]) {
			i++
		}
	}
}

// endOfNumber returns where the number ends that begins with the digit at i.
func endOfNumber(s string, i int) int {
	digits := func(i int) int {
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		return i
	}
	i = digits(i)
	if i+1 < len(s) && s[i] == '.' && isDigit(s[i+1]) {
		i = digits(i + 1)
	}
	if i+1 < len(s) && s[i]|0x20 == 'e' {
		j := i + 1
		if s[j] == '-' || s[j] == '+' {
			j++
		}
		if k := digits(j); k > j {
			return k
		}
	}
	return i
}

// nthNumber returns the number with an index, from the end if that is negative.
func nthNumber(s string, index int) float64 {
	if index >= 0 {
		found := ""
		eachNumber(s, func(number string) bool {
			found = number
			index--
			return index >= 0
		})
		if index >= 0 {
			return missing
		}
		return numberOr(found)
	}
	var all []string
	eachNumber(s, func(number string) bool { all = append(all, number); return true })
	if index += len(all); index < 0 {
		return missing
	}
	return numberOr(all[index])
}

// numberOr reads a number; one that is out of range is missing.
func numberOr(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return missing
	}
	return x
}
