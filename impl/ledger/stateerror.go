package ledger

import "fmt"

// StateError is a state from which nothing can go on.
type StateError struct {
	// whether it is of another filter or odometer, or of one with other parameters; otherwise it is damaged: no filter
	// or odometer ever remembers that
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

// mustBeOf refuses the state of another rule.
func mustBeOf(rule, found string) error {
	if found == rule {
		return nil
	}
	return &StateError{true, fmt.Errorf("it is the state of %q, must be that of %q", found, rule)}
}
