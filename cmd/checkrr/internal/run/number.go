package run

import (
	"fmt"
	"math/big"

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
func (*Number) Type() string { return "string" }

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
