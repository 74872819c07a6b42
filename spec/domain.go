package spec

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
)

// A function opens with one statement of its domain, such as
// domain("ReportNoisyMax", positive("eps", eps), …), whose rules are named once, here:
// “eps is 0, must be positive and finite”. All rules of a statement are evaluated, so that
// each must bear what breaks another one.

// domain returns the first rule that is broken, or nil, under a name: the function's, or that
// of a part of what it is given.
func domain(name string, rules ...error) error {
	if broken := cmp.Or(rules...); broken != nil {
		return fmt.Errorf("%s: %w", name, broken)
	}
	return nil
}

// domainOf is the domain of what has a name and a number.
func domainOf(name string, i int, rules ...error) error {
	if broken := cmp.Or(rules...); broken != nil {
		return fmt.Errorf("%s %d: %w", name, i, broken)
	}
	return nil
}

// must returns what is said of a rule that does not hold.
func must(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func positive(name string, x float64) error {
	return must(x > 0 && !math.IsInf(x, 1), "%s is %g, must be positive and finite", name, x)
}

func finite(name string, x float64) error {
	if isFinite(x) {
		return nil // for each of millions of queries
	}
	return fmt.Errorf("%s is %g, must be finite", name, x)
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// allFinite is the rule of a list of what each is called.
func allFinite(name string, values []float64) (broken error) {
	for i, x := range values {
		broken = cmp.Or(broken, must(isFinite(x), "%s %d is %g, must be finite", name, i+1, x))
	}
	return broken
}

func atLeast(name string, n, least int) error {
	return must(n >= least, "%s is %d, must be at least %d", name, n, least)
}

func between(name string, n, least, most int) error {
	return must(least <= n && n <= most, "%s is %d, must be at least %d and at most %d", name, n, least, most)
}

// notBelow is [atLeast] for rational numbers.
func notBelow(name string, x *big.Rat, least int64) error {
	return must(x != nil && x.Cmp(big.NewRat(least, 1)) >= 0, "%s is %s, must be at least %d", name, shown{x}, least)
}

// aboveZero is [positive] for rational numbers.
func aboveZero(name string, x *big.Rat) error {
	return must(x != nil && x.Sign() > 0, "%s is %s, must be positive", name, shown{x})
}

// allPresent is the rule of a list of whole numbers.
func allPresent(name string, values []*big.Int) (broken error) {
	for i, x := range values {
		broken = cmp.Or(broken, must(x != nil, "%s %d is missing", name, i+1))
	}
	return broken
}

// inUnit is the rule that x is in [0, 1], (0, 1] or [0, 1).
func inUnit(name string, x *big.Rat, interval string) error {
	holds := x != nil && x.Sign() >= 0 && x.Cmp(one) <= 0 &&
		(x.Sign() > 0 || interval[0] == '[') && (x.Cmp(one) < 0 || interval[len(interval)-1] == ']')
	return must(holds, "%s is %s, must be in %s", name, shown{x}, interval)
}

// isLaw is the rule of a distribution over finitely many outputs.
func isLaw(law map[string]*big.Rat) error {
	sum := new(big.Rat)
	for output, pr := range law {
		if pr == nil || pr.Sign() < 0 {
			return fmt.Errorf("probability of %q is %s, must be at least 0", output, shown{pr})
		}
		sum = add(sum, pr)
	}
	return must(sum.Cmp(one) == 0, "probabilities sum to %s, must be 1", shown{sum})
}

// shown is a number as messages say it. Only those of a broken rule are formatted.
type shown struct{ *big.Rat }

func (x shown) String() string {
	if x.Rat == nil {
		return "missing"
	}
	return x.RatString()
}
