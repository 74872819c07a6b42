package spec

import (
	"math/big"
	"testing"
)

// someMechanisms mixes ordinary parameters with the edges ε = 0, δ = 0, δ = 1.
var someMechanisms = []Mechanism{
	{rat("1"), rat("0")},
	{rat("3"), rat("0")},
	{rat("11/10"), rat("1/1000")},
	{rat("1"), rat("1/4")},
	{rat("7/2"), rat("1")},
	{rat("1000000"), rat("1/7")},
}

func TestPaper_Lemma12Rows(t *testing.T) {
	t.Parallel()
	for _, m := range someMechanisms {
		for b, row := range RandomizedResponse(m) {
			sum := new(big.Rat)
			for z, pr := range row {
				if pr.Sign() < 0 {
					t.Errorf("%v: Pr(M(%d) = %d) is %v", m, b, z, pr)
				}
				sum = add(sum, pr)
			}
			if sum.Cmp(one) != 0 {
				t.Errorf("%v: row %d sums to %v", m, b, sum)
			}
		}
	}
}

// Outside the outputs that have mass δ, the ratio is e^ε or e^(−ε) exactly.
func TestPaper_Lemma12Ratios(t *testing.T) {
	t.Parallel()
	for _, m := range someMechanisms {
		table := RandomizedResponse(m)
		if table[0][1].Cmp(mul(m.ExpEps, table[1][1])) != 0 {
			t.Errorf("%v: output 1 has not the ratio e^ε", m)
		}
		if table[1][2].Cmp(mul(m.ExpEps, table[0][2])) != 0 {
			t.Errorf("%v: output 2 has not the ratio e^(−ε)", m)
		}
		if table[0][0].Cmp(m.Delta) != 0 || table[1][3].Cmp(m.Delta) != 0 {
			t.Errorf("%v: outputs 0 and 3 have not the mass δ", m)
		}
	}
}

// M̃_(ε,δ) is (ε, δ)-DP, and no smaller δ will do.
func TestPaper_Lemma12IsDP(t *testing.T) {
	t.Parallel()
	onePart := func(string) int { return 0 }
	for _, m := range someMechanisms {
		law := ResponseLaw([]Mechanism{m})
		got, err := SmallestDeltaBothWays(law[0], law[1], onePart, []*big.Rat{m.ExpEps})
		if err != nil || got.Cmp(m.Delta) != 0 {
			t.Errorf("%v: smallest δ is %v, %v", m, got, err)
		}
	}
}

func TestResponseLaw(t *testing.T) {
	t.Parallel()
	law := ResponseLaw([]Mechanism{{rat("3"), rat("1/2")}, {rat("1"), rat("0")}})
	if len(law[0]) != 16 || len(law[1]) != 16 {
		t.Fatalf("laws over %d and %d sequences, want 16", len(law[0]), len(law[1]))
	}
	tests := []struct {
		b    int
		q    string
		want string
	}{
		{0, "01", "1/4"}, {0, "12", "3/16"}, {0, "21", "1/16"}, {0, "31", "0"}, {0, "10", "0"},
		{1, "01", "0"}, {1, "12", "1/16"}, {1, "21", "3/16"}, {1, "31", "1/4"}, {1, "13", "0"},
	}
	for _, test := range tests {
		if got := law[test.b][test.q]; got.Cmp(rat(test.want)) != 0 {
			t.Errorf("Pr_%d(%s) = %v, want %s", test.b, test.q, got, test.want)
		}
	}
}
