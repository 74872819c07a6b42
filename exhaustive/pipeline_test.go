package exhaustive

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// rat reads a rational number.
func rat(text string) *big.Rat {
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("internal error: not a rational number: " + text)
	}
	return x
}

// nats and exps read an ε given as ε and as e^ε.
func nats(text string) Epsilon { return Epsilon{Rat: rat(text)} }
func exps(text string) Epsilon { return Epsilon{Rat: rat(text), Exp: true} }

// exact builds a pipeline from pairs "e^ε δ", separated by commas, and stops.
func exact(mechanisms string, stops ...Stop) Pipeline { return pipeline(exps, mechanisms, stops) }

// decimal builds a pipeline from pairs "ε δ", separated by commas, and stops.
func decimal(mechanisms string, stops ...Stop) Pipeline { return pipeline(nats, mechanisms, stops) }

func pipeline(read func(string) Epsilon, mechanisms string, stops []Stop) Pipeline {
	p := Pipeline{Stops: stops}
	for _, pair := range strings.Split(mechanisms, ",") {
		fields := strings.Fields(pair)
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: read(fields[0]), Delta: rat(fields[1])})
	}
	return p
}

// stop is a stop that is charged the e^ℰ given.
func stop(after int, expE string) Stop { return Stop{after, exps(expE)} }

func TestDomain(t *testing.T) {
	t.Parallel()
	end := stop(1, "2")
	missing := Epsilon{}
	long := Pipeline{slices.Repeat([]Mechanism{{Eps: exps("2"), Delta: rat("0")}}, 14), []Stop{stop(14, "2")}}
	tests := []struct {
		p    Pipeline
		want string // part of the error
	}{
		{Pipeline{Stops: []Stop{end}}, "mechanisms: there are none"},
		{long, "mechanisms: there are 14, must be at most 13"},
		{exact("2 0"), "stops: there are none"},
		{decimal("-1/2 0", end), "mechanism 1: eps is -1/2, must be between 0 and 1000000"},
		{decimal("1 0, 1000001 0", stop(2, "2")), "mechanism 2: eps is 1000001"},
		{exact("1/2 0", end), "mechanism 1: e^eps is 1/2, must be at least 1"},
		{Pipeline{[]Mechanism{{Eps: missing, Delta: rat("0")}}, []Stop{end}}, "mechanism 1: eps is missing"},
		{exact("2 -1/9", end), "mechanism 1: delta is -1/9, must be between 0 and 1"},
		{exact("2 10/9", end), "mechanism 1: delta is 10/9"},
		{Pipeline{[]Mechanism{{Eps: exps("2"), Delta: nil}}, []Stop{end}}, "mechanism 1: delta is missing"},
		{exact("2 0", stop(0, "1"), end), "stop 1: after is 0, must be more than 0"},
		{exact("2 0", end, end), "stop 2: after is 1, must be more than 1"},
		{exact("2 0", stop(2, "1")), "stop 1: after is 2, the last must be 1"},
		{exact("2 0, 2 0", end), "stop 1: after is 1, the last must be 2"},
		{exact("2 0", stop(1, "1/2")), "stop 1: e^eps is 1/2, must be at least 1"},
	}
	for _, test := range tests {
		for name, err := range everyError(t.Context(), test.p) {
			refuse(t, map[string]error{name + ": ": err, test.want: err})
		}
	}
}

// everyError returns the error of every function that takes a pipeline.
func everyError(ctx context.Context, p Pipeline) map[string]error {
	return map[string]error{
		"Exact":        second(Exact(ctx, p, nil)),
		"Enclose":      second(Enclose(ctx, p, 53, nil)),
		"Criteria":     second(Criteria(ctx, p)),
		"EvaluateRule": second(EvaluateRule(ctx, p, make([]float64, len(p.Stops)))),
	}
}

// refuse reports errors that are missing, or lack the words that they are listed by.
func refuse(t *testing.T, errs map[string]error) {
	t.Helper()
	for want, err := range errs {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, must contain %q", err, want)
		}
	}
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }

// What only some of the arithmetics can do.
func TestDomainOfArithmetics(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	small := decimal("1/10 0", Stop{1, nats("1/10")})
	charge := exact("2 0", Stop{1, nats("1/10")})
	refuse(t, map[string]error{
		"Exact: mechanism 1: eps is 1/10, exact numbers need e^eps":    second(Exact(ctx, small, nil)),
		"Exact: stop 1: eps is 1/10, exact numbers need e^eps":         second(Exact(ctx, charge, nil)),
		"Criteria: mechanism 1: eps is 1/10, exact numbers need e^eps": second(Criteria(ctx, small)),
		"Enclose: prec is 0, must be between 24 and 4096":              second(Enclose(ctx, small, 0, nil)),
		"Enclose: prec is 23, must be between 24 and 4096":             second(Enclose(ctx, small, 23, nil)),
		"Enclose: prec is 4097, must be between 24 and 4096":           second(Enclose(ctx, small, 4097, nil)),
	})
}
