// Package check holds the rules that parameters of several kinds of mechanisms must obey. A function says which rule is
// broken, by what was found and what must hold.
package check

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"reflect"
	"strings"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// LeastDelta is the smallest δ, and the smallest ε, of which a logarithm is taken.
var LeastDelta = rational.MustParse("1e-300")

// Finite returns nil, or an error for a number that is not finite.
func Finite(name string, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %g, must be finite", name, x)
	}
	return nil
}

// AllFinite is [Finite] for numbers that are called by their places, from 1.
func AllFinite(name string, xs []float64) error {
	for i, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Finite(fmt.Sprintf("%s %d", name, i+1), x)
		}
	}
	return nil
}

// Positive returns nil, or an error for a number that is not finite and greater than 0.
func Positive(name string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s is %g, must be positive and finite", name, x)
	}
	return nil
}

// Above0 returns nil, or an error for a rational that is not greater than 0, or too far from 1 for a float64.
func Above0(name string, x *big.Rat) error {
	if x == nil {
		return fmt.Errorf("%s is missing, must be a number", name)
	}
	if x.Sign() <= 0 || rational.Magnitude(x) > loss.MaxMagnitude || rational.Magnitude(x) < -loss.MaxMagnitude {
		return fmt.Errorf("%s is %s, must be greater than 0, from 1e-289 to 1e289", name, rational.Decimal(x))
	}
	return nil
}

// Epsilon returns the field and the rule that ε breaks, if it does: [loss.Epsilon.Fault], and a bound of how long a
// comparison can take.
func Epsilon(e loss.Epsilon) (field, rule string) {
	if field, rule = loss.Fault(e); rule != "" || rational.Bits(e.Value) <= loss.MaxBits {
		return field, rule
	}
	if field = "eps"; e.Log {
		field = "exp_eps"
	}
	return field, tooLong(e.Rat())
}

// Delta returns the rule that δ breaks, if it does.
func Delta(delta *big.Rat) (rule string) {
	switch {
	case delta == nil:
		return "is missing, must be between 0 and 1"
	case delta.Sign() < 0 || delta.Num().Cmp(delta.Denom()) > 0:
		return fmt.Sprintf("is %s, must be between 0 and 1", rational.Decimal(delta))
	case rational.Bits(delta) > loss.MaxBits:
		return tooLong(delta)
	}
	return ""
}

func tooLong(r *big.Rat) string {
	about := new(big.Float).SetPrec(64).SetRat(r).Text('g', 12)
	return fmt.Sprintf("is about %s and takes %d bits as a ratio, must take at most %d",
		about, rational.Bits(r), loss.MaxBits)
}

// Rule returns nil, or an error for a field that breaks a rule.
func Rule(field, rule string) error {
	if rule == "" {
		return nil
	}
	return fmt.Errorf("%s %s", field, rule)
}

// Named puts the name of a function before the error that it returns: it is deferred.
func Named(name string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", name, *err)
	}
}

// Between returns nil, or an error for a number that is not in a range; [math.MaxInt] stands for no largest one.
func Between(name string, n, least, most int) error {
	switch {
	case n >= least && n <= most:
		return nil
	case most == math.MaxInt:
		return fmt.Errorf("%s is %d, must be at least %d", name, n, least)
	}
	return fmt.Errorf("%s is %d, must be at least %d and at most %d", name, n, least, most)
}

// In returns nil, or an error for a rational that is missing or not in an interval, such as "(0, 1]" or "[0, ∞)".
func In(name string, x *big.Rat, interval string) error {
	low, high, _ := strings.Cut(strings.Trim(interval, "[]()"), ", ")
	rule := map[byte]string{'[': "at least ", '(': "greater than "}[interval[0]] + low
	isIn := x != nil && x.Cmp(rational.MustParse(low)) >= strings.IndexByte("[(", interval[0])
	if end := interval[len(interval)-1]; high != "∞" {
		rule += map[byte]string{']': " and at most ", ')': " and less than "}[end] + high
		isIn = isIn && x.Cmp(rational.MustParse(high)) <= -strings.IndexByte("])", end)
	}
	if isIn {
		return nil
	}
	return fmt.Errorf("%s is %s, must be %s", name, rational.Decimal(x), rule)
}

// Law returns nil, or an error for probabilities that are none, or do not sum to 1; outputs are called by their
// numbers, from 0, or by names.
func Law[K comparable](name string, law iter.Seq2[K, *big.Rat]) error {
	sum := new(big.Rat)
	for output, p := range law {
		if p == nil || p.Sign() < 0 {
			return fmt.Errorf("%s: probability of output %v is %s, must be at least 0",
				name, output, rational.Decimal(p))
		}
		sum.Add(sum, p)
	}
	if sum.Cmp(rational.One) != 0 {
		return fmt.Errorf("%s: probabilities sum to %s, must be 1", name, rational.Decimal(sum))
	}
	return nil
}

// NotNil returns nil, or an error for an argument that is nil: a context, a function, a source, or a struct of nothing
// but a nil.
func NotNil(name string, x any) error {
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Struct && v.NumField() == 1 {
		v = v.Field(0)
	}
	switch v.Kind() {
	case reflect.Func, reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			v = reflect.Value{}
		}
	}
	if v.IsValid() {
		return nil
	}
	return fmt.Errorf("%s is nil, must be given", name)
}

// Given returns nil, or an error for a number that is missing.
func Given(name string, x *big.Rat) error {
	if x == nil {
		return fmt.Errorf("%s is missing, must be a number", name)
	}
	return nil
}
