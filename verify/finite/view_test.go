package finite

import (
	"math/big"
	"strings"
	"testing"

	"checkrr/spec"
	"checkrr/verify/rat"
)

// response is randomized response with e^ε = 3.
func response() spec.Choice {
	quarter, rest := big.NewRat(1, 4), big.NewRat(3, 4)
	return spec.Choice{
		Laws:  [2]map[string]*big.Rat{{"0": rest, "1": quarter}, {"0": quarter, "1": rest}},
		Part:  func(string) int { return 0 },
		ExpE:  []*big.Rat{big.NewRat(3, 1)},
		Delta: new(big.Rat),
	}
}

func always(c spec.Choice) spec.Adversary {
	return spec.Adversary{Coins: 1, Choose: func(string, []string) spec.Choice { return c }}
}

func TestODPComposition(t *testing.T) {
	t.Parallel()
	laws, err := ODPComposition(always(response()), big.NewRat(9, 1), new(big.Rat), 2, spec.TextB)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"0,0,0": "9/16", "0,0,1": "3/16", "0,1,0": "3/16", "0,1,1": "1/16"}
	for view, pr := range want {
		if got := laws[0][view]; got == nil || got.RatString() != pr {
			t.Errorf("%s: probability %v, want %s", view, got, pr)
		}
	}
	if len(laws[0]) != 4 || len(laws[1]) != 4 {
		t.Errorf("%d and %d views, want 4", len(laws[0]), len(laws[1]))
	}
}

// Two coins make two views of each sequence of outputs, with half the probability.
func TestODPComposition_Coins(t *testing.T) {
	t.Parallel()
	a := always(response())
	a.Coins = 2
	laws, err := ODPComposition(a, big.NewRat(3, 1), new(big.Rat), 1, spec.TextB)
	if err != nil || len(laws[0]) != 4 || laws[0]["1,0"].RatString() != "3/8" {
		t.Errorf("laws %v, %v", laws, err)
	}
}

// HALT makes the rest ⊥.
func TestODPFilterComposition(t *testing.T) {
	t.Parallel()
	laws, err := ODPFilterComposition(always(response()), spec.SumFilter(big.NewRat(3, 1), new(big.Rat)), 3)
	if err != nil || len(laws[0]) != 2 || laws[0]["0,0,⊥,⊥"].RatString() != "3/4" {
		t.Errorf("laws %v, %v", laws, err)
	}
}

// saver costs ln 3 where it answers, and nothing where it says ⊥.
func saver() spec.Choice {
	eighth, half := big.NewRat(1, 8), big.NewRat(1, 2)
	c := response()
	c.Laws = [2]map[string]*big.Rat{
		{"0": big.NewRat(3, 8), "1": eighth, spec.Bottom: half},
		{"0": eighth, "1": big.NewRat(3, 8), spec.Bottom: half},
	}
	c.ExpE = []*big.Rat{rat.One, big.NewRat(3, 1)}
	c.Part = func(output string) int {
		if output == spec.Bottom {
			return 0
		}
		return 1
	}
	return c
}

// The supremum is asked for, and the part that was observed is charged.
func TestODPComposition_ObservedPart(t *testing.T) {
	t.Parallel()
	if _, err := ODPComposition(always(saver()), big.NewRat(2, 1), rat.One, 1, spec.TextB); err == nil || !strings.Contains(err.Error(), "sup ℰ_i is ln 3") {
		t.Errorf("Algorithm 1 within ln 2: %v", err)
	}
	laws, err := ODPFilterComposition(always(saver()), spec.SumFilter(big.NewRat(3, 1), rat.One), 2)
	if err != nil || len(laws[0]) != 5 || laws[0]["0,⊥,0"] == nil || laws[0]["0,0,⊥"] == nil {
		t.Errorf("Algorithm 6 within ln 3: %v, %v", laws[0], err)
	}
}

// What a view is could not be read from its name.
func TestODPFilterComposition_Comma(t *testing.T) {
	t.Parallel()
	comma := response()
	comma.Laws[0]["0,1"], comma.Laws[1]["0,1"] = new(big.Rat), new(big.Rat)
	if _, err := ODPFilterComposition(always(comma), spec.SumFilter(big.NewRat(3, 1), rat.One), 1); err == nil || !strings.Contains(err.Error(), "no comma") {
		t.Errorf("error %v", err)
	}
}
