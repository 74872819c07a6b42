package run

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/spf13/pflag"
)

// Width is the value of a flag between 0 and 1, with the text that was typed for it.
type Width struct {
	value   float64
	text    string
	isGiven bool // whether it was typed, and is no default
}

// AddTo adds the flag.
func (w *Width) AddTo(f *pflag.FlagSet, name string, value float64, usage string) {
	*w = Width{value, fmt.Sprint(value), false}
	f.Var(w, name, usage)
}

// Set implements pflag.Value.
func (w *Width) Set(text string) error {
	if rule := w.Rule(text); rule != "" {
		return errors.New("must be " + rule)
	}
	x, err := strconv.ParseFloat(text, 64)
	*w = Width{x, text, true}
	return err
}

// Rule returns the rule that a text breaks, if it breaks one. 1e-400 is 0 as a float64.
func (*Width) Rule(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	switch r, _, _ := big.ParseFloat(text, 0, 64, big.ToNearestEven); {
	case err != nil:
		return "a number such as 1e-9"
	case x == 0 && r != nil && r.Sign() > 0:
		return "at least 5e-324"
	case !(x > 0 && x < 1):
		return "more than 0 and less than 1"
	}
	return ""
}

func (w *Width) String() string { return w.text }

// Type implements pflag.Value.
func (*Width) Type() string { return "float" }
