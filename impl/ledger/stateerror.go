package ledger

import (
	"errors"
	"fmt"
)

// StateError is a state from which nothing can go on.
type StateError struct {
	// whether it is of another rule, or of the same one with other parameters; otherwise it is damaged, as is that of an
	// odometer for a filter and the other way round: these have other keys, and cannot be read
	IsOfOther bool
	Err       error // what was found, and what must be instead
}

// Error says what was found, and what must be instead.
func (e *StateError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *StateError) Unwrap() error { return e.Err }

// damaged returns the [*StateError] of what was found, or nil.
func damaged(err error) error {
	if err == nil {
		return nil
	}
	return &StateError{Err: err}
}

// unread returns the [*StateError] of why a text is not what it should be, or nil.
func unread(what string, err error) error {
	if err == nil {
		return nil
	}
	return damaged(fmt.Errorf("it is not the state of %s: %w", what, err))
}

// mustBeOf refuses the state of another rule.
func mustBeOf(rule, found string) error {
	switch found {
	case rule:
		return nil
	case "":
		return damaged(errors.New("rule is missing"))
	}
	return &StateError{true, fmt.Errorf("it is the state of %q, must be that of %q", found, rule)}
}
