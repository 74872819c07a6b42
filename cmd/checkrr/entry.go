package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// problem is a pipeline together with what messages and tables need to speak
// of it in its author's words.
type problem struct {
	impl.Pipeline
	charges []string                       // E(P_i) of every stop as typed
	weights []*big.Rat                     // of every stop, 1 if there is none; nil unless asked for
	broken  func(e *impl.InputError) error // says where a broken rule stands
}

// demand is what a command wants to know about the stops of a pipeline.
type demand int

const (
	chargedStops  demand = iota // where they are, and what is charged there; weights are not used
	weightedStops               // where they are, and what weight they have; charges are not used
	noStops                     // they are not used: the pipeline stops at its end only
)

// validate checks the rules about values and order, which are impl's.
func (p *problem) validate() error {
	err := p.Pipeline.Validate()
	var broken *impl.InputError
	if errors.As(err, &broken) {
		return p.broken(broken)
	}
	return err
}

// failed says in the author's words why there is no result.
func (p *problem) failed(ctx context.Context, err error, timeout time.Duration) error {
	if broken, ok := errors.AsType[*impl.InputError](err); ok {
		return p.broken(broken)
	}
	if broken, ok := errors.AsType[*impl.DeltaError](err); ok {
		return fmt.Errorf("--delta %s", broken.Rule)
	}
	return endedBy(ctx, err, timeout)
}

// ruleOf returns the field at fault and the rule.
func ruleOf(e *impl.InputError) string { return strings.TrimSpace(e.Field + " " + e.Rule) }

// field is one "key: value" of an entry.
type field struct {
	key, value string
	at         position // of the value; zero for a flag
}

// entryError is an entry that is not a mechanism or a stop.
type entryError struct {
	at   position // of the field; zero if the entry as a whole is at fault
	text string
}

func (e *entryError) Error() string { return e.text }

var (
	mechanismKeys = []string{"eps", "exp_eps", "delta", "count"}
	stopKeys      = []string{"after", "eps", "exp_eps", "weight"}
)

// mechanismOf reads {eps or exp_eps, delta, count}.
func mechanismOf(fields []field) (m impl.Mechanism, err error) {
	m = impl.Mechanism{Delta: new(big.Rat), Count: 1}
	if err := checkKeys(fields, mechanismKeys, true); err != nil {
		return m, err
	}
	for _, f := range fields {
		switch f.key {
		case "eps", "exp_eps":
			m.Eps, err = f.epsilon()
		case "delta":
			m.Delta, err = f.number()
		case "count":
			m.Count, err = f.count()
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// addStop reads {after, eps or exp_eps, weight}, with the charge as typed.
func (p *problem) addStop(fields []field, wanted demand) error {
	if err := checkKeys(fields, stopKeys, wanted == chargedStops); err != nil {
		return err
	}
	if !slices.ContainsFunc(fields, func(f field) bool { return f.key == "after" }) {
		return &entryError{text: "after is missing"}
	}
	var s impl.Stop
	var charge string
	weight := big.NewRat(1, 1)
	for _, f := range fields {
		var err error
		switch f.key {
		case "after":
			s.After, err = f.count()
		case "eps", "exp_eps":
			s.Eps, err = f.epsilon()
			charge = f.charge()
		case "weight":
			weight, err = f.weight()
		}
		if err != nil {
			return err
		}
	}
	if wanted == weightedStops {
		s.Eps, charge = loss.Nats(new(big.Rat)), ""
		p.weights = append(p.weights, weight)
	}
	p.Stops = append(p.Stops, s)
	p.charges = append(p.charges, charge)
	return nil
}

// checkKeys checks that every key is known, none is there twice, and exactly
// one of eps and exp_eps is there, or none where it is not needed.
func checkKeys(fields []field, known []string, needsEps bool) error {
	eps := 0
	for i, f := range fields {
		if !slices.Contains(known, f.key) {
			return &entryError{f.at, unknownKey(f.key, known)}
		}
		if slices.ContainsFunc(fields[:i], func(g field) bool { return g.key == f.key }) {
			return &entryError{f.at, f.key + " is given twice"}
		}
		if f.key == "eps" || f.key == "exp_eps" {
			if eps++; eps > 1 {
				return &entryError{f.at, "both eps and exp_eps are given, must be only one of them"}
			}
		}
	}
	if eps == 0 && needsEps {
		return &entryError{text: "eps is missing, must have eps or exp_eps"}
	}
	return nil
}

func unknownKey(key string, known []string) string {
	return fmt.Sprintf("unknown key %s, must be one of %s", report.Quote(key), strings.Join(known, ", "))
}

func (f field) number() (*big.Rat, error) {
	r, err := parseNumber(f.value)
	return r, f.fault(err)
}

func (f field) count() (int, error) {
	n, err := parseCount(f.value)
	return n, f.fault(err)
}

func (f field) weight() (*big.Rat, error) {
	w, err := parseNumber(f.value)
	if err == nil && (w.Sign() < 0 || w.Cmp(maxWeight) > 0 || w.Sign() > 0 && w.Cmp(minWeight) < 0) {
		err = fmt.Errorf("is %s, must be 0, or between 1e-12 and 1e12", report.Quote(f.value))
	}
	return w, f.fault(err)
}

// Limits that keep sums of weights finite, and more than 0.
var minWeight, maxWeight = report.Scaled(big.NewInt(1), -12), report.Scaled(big.NewInt(1), 12)

func (f field) epsilon() (loss.Epsilon, error) {
	r, err := f.number()
	if f.key == "exp_eps" {
		return loss.Exp(r), err
	}
	return loss.Nats(r), err
}

// charge is the parameter as typed, in nats.
func (f field) charge() string {
	switch {
	case f.key == "eps":
		return f.value
	case strings.Contains(f.value, "/"):
		return "ln(" + f.value + ")"
	}
	return "ln " + f.value
}

func (f field) fault(err error) error {
	if err == nil {
		return nil
	}
	return &entryError{f.at, f.key + " " + err.Error()}
}
