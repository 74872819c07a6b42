package run

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
)

// Number is the value of a flag that is a number, exactly as typed; Value is nil if none is given.
type Number struct {
	Text  string
	Value *big.Rat
	must  input.Rule
}

// AddTo adds the flag, with its value if it is not given, empty if there is none, and its rule, nil if there is none.
func (n *Number) AddTo(f *pflag.FlagSet, name, value, usage string, must input.Rule) {
	report.Must(n.Set(value))
	n.must = must
	f.Var(n, name, usage)
}

// Set implements pflag.Value. The error continues a sentence that begins with the flag. That the text is empty is
// refused for all flags, elsewhere.
func (n *Number) Set(text string) (err error) {
	n.Text, n.Value = text, nil
	if text != "" {
		n.Value, err = input.ParseNumber(text)
	}
	if n.Value != nil && n.must != nil {
		if rule := n.must(n.Value); rule != "" {
			return fmt.Errorf("is %s, must be %s", report.Quote(text), rule)
		}
	}
	return err
}

func (n *Number) String() string { return n.Text }

// Type implements pflag.Value.
func (*Number) Type() string { return "number" }

// From0 is which δ most flags take, beside that it is less than 1: whether there is an answer for 0 is for the
// mechanisms to say.
const From0 = "at least 0"

// Delta returns the rule for a δ that is asked for, or allowed: From0, or what else is said to be the least.
func Delta(least string) input.Rule {
	return func(x *big.Rat) string {
		switch {
		case x.Cmp(big.NewRat(1, 1)) >= 0:
			return least + " and less than 1: with δ = 1 all is private, whatever it does"
		case x.Sign() > 0 || x.Sign() == 0 && least == From0:
			return ""
		}
		return least + " and less than 1"
	}
}

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
