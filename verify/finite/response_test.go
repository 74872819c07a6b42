package finite

import (
	"testing"

	"checkrr/verify/rat"
)

func TestSimulatesRefuses(t *testing.T) {
	t.Parallel()
	m := Pure(rat.Int(3))
	laws := Pair{{"a": rat.Of("3/4"), "b": rat.Of("1/4")}, {"a": rat.Of("1/4"), "b": rat.Of("3/4")}}
	always := func(output string) Law { return Law{output: rat.One} }
	right := Kernel{"0": always("a"), "1": always("a"), "2": always("b"), "3": always("b")}
	if err := right.Simulates(laws, m); err != nil {
		t.Error(err)
	}
	for want, kernel := range map[string]Kernel{
		"T(0) is a with probability -1/2":      {"0": {"a": rat.Of("-1/2"), "b": rat.Of("3/2")}},
		"the probabilities of T(2) sum to 1/2": {"1": always("a"), "2": {"b": rat.Half}},
		"T(M̃(0)) is a with probability 1/4":   {"1": always("b"), "2": always("a")},
		"T(M̃(0)) is b with probability 0":     {"1": always("a"), "2": {"a": rat.Of("0"), "c": rat.One}},
		"T(M̃(0)) is a with probability 0":     {},
	} {
		if err := kernel.Simulates(laws, m); err == nil || err.Error() != want {
			t.Errorf("%v, must be %s", err, want)
		}
	}
}
