package spec

import (
	"math/big"
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

// pipeline reads mechanisms from a list of pairs "e^ε δ", separated by commas.
func pipeline(mechanisms string, stops ...Stop) Pipeline {
	p := Pipeline{Stops: stops}
	for _, pair := range strings.Split(mechanisms, ",") {
		fields := strings.Fields(pair)
		p.Mechanisms = append(p.Mechanisms, Mechanism{rat(fields[0]), rat(fields[1])})
	}
	return p
}

func stop(after int, expE string) Stop { return Stop{after, rat(expE)} }

func TestDomain(t *testing.T) {
	t.Parallel()
	const three, four = "2 1/9, 2 1/9, 2 1/9", "2 0, 2 1/9, 2 1, 2 0"
	long := strings.TrimSuffix(strings.Repeat("2 1/9,", 11), ",")
	tests := []struct {
		name string
		p    Pipeline
		want string // part of the error
	}{
		{"no mechanism", Pipeline{Stops: []Stop{stop(1, "1")}}, "mechanisms: there are none"},
		{"no stop", pipeline("2 0"), "stops: there are none"},
		{"negative epsilon", pipeline("1/2 0", stop(1, "1")), "mechanism 1: e^eps is 1/2, must be at least 1"},
		{"missing epsilon", Pipeline{[]Mechanism{{nil, rat("0")}}, []Stop{stop(1, "1")}}, "e^eps is missing"},
		{"negative delta", pipeline("2 0, 2 -1/9", stop(2, "1")), "mechanism 2: delta is -1/9, must be in [0, 1]"},
		{"delta above 1", pipeline("2 10/9", stop(1, "1")), "delta is 10/9"},
		{"missing delta", Pipeline{[]Mechanism{{rat("2"), nil}}, []Stop{stop(1, "1")}}, "delta is missing"},
		{"stop at 0", pipeline("2 0", stop(0, "1"), stop(1, "1")), "stop 1: after is 0, must be more than 0"},
		{"stops equal", pipeline("2 0", stop(1, "1"), stop(1, "1")), "stop 2: after is 1, must be more than 1"},
		{"stops decreasing", pipeline("2 0, 2 0", stop(2, "1"), stop(1, "1")),
			"stop 2: after is 1, must be more than 2"},
		{"stop too late", pipeline("2 0", stop(2, "1")), "the last must be 1"},
		{"no stop at the end", pipeline("2 0, 2 0", stop(1, "1")), "the last must be 2"},
		{"negative charge", pipeline("2 0", stop(1, "9/10")), "stop 1: e^eps is 9/10"},
		{"too many sets", pipeline(three, stop(3, "1")), "2^46 families of sets, must be at most 1048576"},
		{"too many families", pipeline(three, stop(1, "1"), stop(2, "1"), stop(3, "1")), "2^64 families"},
		{"too many, though some outputs do not occur", pipeline(four, stop(1, "1"), stop(4, "1")), "2^26 families"},
		{"far too many families", pipeline(long, stop(11, "1")), "2^352246 families"},
	}
	functions := map[string]func(Pipeline) (*big.Rat, error){
		"OptDel: ": OptDel, "Lemma11: ": Lemma11, "Lemma11Joint: ": Lemma11Joint,
	}
	for _, test := range tests {
		for name, f := range functions {
			got, err := f(test.p)
			refuse(t, map[string]error{name: err, test.want: err})
			if got != nil {
				t.Errorf("%s: %s returned %v besides an error", test.name, name, got)
			}
		}
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

// third is that of one with three results.
func third[S, T any](_ S, _ T, err error) error { return err }
