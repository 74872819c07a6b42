package audit

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Enumeration collects the outputs of a mechanism on two inputs for every value that its noise can
// have, each with the probability of that value, and makes them its exact law.
type Enumeration struct {
	of    map[outputKey]int // rows of the table
	table []Outcome
}

// outputKey is what makes two outputs the same: part, shape and numbers.
type outputKey struct{ part, shape, numbers string }

// Add adds an output on an input that has a probability of its own: a value as for [Sample.AddValue].
// Numbers are compared as doubles; 0 and −0 are the same.
func (e *Enumeration) Add(input int, part string, value any, p *big.Rat) error {
	shape, numbers, err := ShapeOf(value)
	if err != nil {
		return err
	}
	var texts []string
	for _, x := range numbers {
		texts = append(texts, strconv.FormatFloat(x+0, 'g', -1, 64)) // −0 + 0 is 0
	}
	k := outputKey{part, shape.written, strings.Join(texts, " ")}
	i, known := e.of[k]
	if !known {
		if e.of == nil {
			e.of = map[outputKey]int{}
		}
		i = len(e.table)
		e.of[k] = i
		e.table = append(e.table, Outcome{Output: shape.with(texts), Part: part,
			P: [2]*big.Rat{new(big.Rat), new(big.Rat)}})
	}
	sum := e.table[i].P[input]
	sum.Add(sum, p)
	return nil
}

// Outcomes returns the table of all outputs, in the order in which they first came.
func (e *Enumeration) Outcomes() []Outcome { return e.table }

// Source is a finite source of noise: each value with its probability, and how many
// independent ones a mechanism takes.
type Source[V any] struct {
	Values []V
	P      []*big.Rat // of each
	Count  int        // how many are taken; 1 or more
}

// MaxNoise bounds how many values all the noise of a mechanism can have.
const MaxNoise = 1_000_000

// Validate checks that probabilities are from 0 to 1 and sum to 1, and that there are not too many values.
func (s Source[V]) Validate() error {
	switch {
	case len(s.Values) == 0 || len(s.Values) != len(s.P):
		return errors.New("the noise has no values, must have at least one, each with its probability")
	case s.Count < 1:
		return fmt.Errorf("count is %d, must be at least 1", s.Count)
	case math.Pow(float64(len(s.Values)), float64(s.Count)) > MaxNoise:
		return fmt.Errorf("%d values %d times are too many, must be at most %d together",
			len(s.Values), s.Count, MaxNoise)
	}
	var sum exactSum
	for i, p := range s.P {
		if rule := sum.add(p); rule != "" {
			return fmt.Errorf("the probability of value %d %s", i+1, rule)
		}
	}
	if rule := sum.whole(); rule != "" {
		return fmt.Errorf("the probability of all values %s", rule)
	}
	return nil
}

// Each calls f with all that the noise can be, and its probability, until f returns false. The slice
// is valid during the call.
func (s Source[V]) Each(f func(noise []V, p *big.Rat) bool) {
	noise := make([]V, s.Count)
	var walk func(at int, p *big.Rat) bool
	walk = func(at int, p *big.Rat) bool {
		if at == s.Count {
			return f(noise, p)
		}
		for i, v := range s.Values {
			if s.P[i].Sign() == 0 {
				continue
			}
			noise[at] = v
			if !walk(at+1, new(big.Rat).Mul(p, s.P[i])) {
				return false
			}
		}
		return true
	}
	walk(0, one)
}
