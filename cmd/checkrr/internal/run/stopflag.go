package run

import (
	"fmt"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// stopAt returns the index of the stop that a flag names: by its place, such as after=700, or by its label.
func stopAt(flag, text string, p *input.Problem) (int, error) {
	number, isPlace := strings.CutPrefix(strings.TrimSpace(text), "after=")
	if !isPlace {
		return labelled(flag, text, p)
	}
	after, err := input.ParseCount(number)
	if err != nil {
		return 0, fmt.Errorf("%s: after %w", flag, err)
	}
	i := slices.IndexFunc(p.Stops, func(s impl.Stop) bool { return s.After == after })
	if i >= 0 {
		return i, nil
	}
	near := slices.IndexFunc(p.Stops, func(s impl.Stop) bool { return s.After > after })
	if near < 0 {
		near = len(p.Stops) - 1
	}
	return 0, fmt.Errorf("%s is after=%d, must be one of the stops, such as after=%d", flag, after, p.Stops[near].After)
}

// labelled returns the index of the only stop with a label.
func labelled(flag, label string, p *input.Problem) (int, error) {
	found := -1
	for i := range p.Stops {
		if p.Label(i) != label || label == "" {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%s is %s, which is the label of several stops, must be of the form after=700", flag,
				report.Quote(label))
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("%s is %s, must be of the form after=700, or the label of a stop", flag,
			report.Quote(label))
	}
	return found, nil
}
