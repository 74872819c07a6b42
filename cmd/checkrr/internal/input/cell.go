package input

import (
	"errors"
	"math/big"
	"regexp"

	"checkrr/cmd/checkrr/internal/report"
)

// numeric is a text that tables of numbers have.
var numeric = regexp.MustCompile(`^(?i:[-+0-9.,/e \t]|inf(inity)?|nan)*$`)

// showCell shows a text out of a table that another file names, unless it cannot be from a table of numbers: the name
// may be that of any file, and what is in that is nothing to be shown.
func showCell(text string) string {
	if numeric.MatchString(text) {
		return report.Quote(text)
	}
	return "text that is no number"
}

// parseCell is [ParseNumber] for such a text.
func parseCell(text string) (*big.Rat, error) {
	r, err := ParseNumber(text)
	if err != nil && !numeric.MatchString(text) {
		err = errors.New("is " + showCell(text) + ", must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2")
	}
	return r, err
}
