package main

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"checkrr/cmd/checkrr/internal/report"
)

// typedWidth is a number with the text that was typed for it: 1e-400 is 0 as a number.
type typedWidth struct {
	value   float64
	text    string
	isGiven bool // whether it was typed, and is no default
}

func (w *typedWidth) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return errors.New("must be a number such as 1e-9")
	}
	*w = typedWidth{x, text, true}
	return nil
}

// rule is what must hold.
func (w *typedWidth) rule() string {
	if x, _, err := big.ParseFloat(w.text, 0, 64, big.ToNearestEven); err == nil && w.value == 0 && x.Sign() > 0 {
		return "at least 5e-324"
	}
	return "more than 0 and less than 1"
}

// check refuses a value for the flag.
func (w *typedWidth) check(flag string) error {
	if !(w.value > 0 && w.value < 1) {
		return fmt.Errorf("%s is %s, must be %s", flag, report.Quote(w.text), w.rule())
	}
	return nil
}

func (w *typedWidth) String() string { return w.text }
func (w *typedWidth) Type() string   { return "float" }
