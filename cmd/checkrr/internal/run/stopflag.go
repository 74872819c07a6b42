package run

import (
	"fmt"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// afterOf reads the value of a flag that names a stop, such as after=700.
func afterOf(flag, text string) (after int, err error) {
	number, ok := strings.CutPrefix(strings.TrimSpace(text), "after=")
	if !ok {
		return 0, fmt.Errorf("%s is %s, must be of the form after=700", flag, report.Quote(text))
	}
	if after, err = input.ParseCount(number); err != nil {
		return 0, fmt.Errorf("%s: after %w", flag, err)
	}
	return after, nil
}

// stopAt returns the index of the stop that a flag names.
func stopAt(flag string, after int, stops []impl.Stop) (int, error) {
	i := slices.IndexFunc(stops, func(s impl.Stop) bool { return s.After == after })
	if i >= 0 {
		return i, nil
	}
	near := slices.IndexFunc(stops, func(s impl.Stop) bool { return s.After > after })
	if near < 0 {
		near = len(stops) - 1
	}
	return 0, fmt.Errorf("%s is after=%d, must be one of the stops, such as after=%d", flag, after, stops[near].After)
}
