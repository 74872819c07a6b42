package main

import (
	"fmt"
	"slices"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// afterOf reads the value of a flag that names a stop, such as after=700.
func afterOf(flag, text string) (after int, err error) {
	fields, err := input.SplitFields(text)
	if err == nil {
		err = input.CheckKeys(fields, []string{"after"}, false)
	}
	if err == nil {
		after, err = input.ParseCount(fields[0].Value)
		if err != nil {
			err = fmt.Errorf("after %w", err)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("%s is %s: %w", flag, report.Quote(text), err)
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
