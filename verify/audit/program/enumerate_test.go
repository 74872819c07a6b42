package program

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

func init() {
	fakes["adder"] = answering(func(r request) (outputs []float64) { // the input and the sum of the noise
		var x float64
		json.Unmarshal(r.Input, &x)
		for _, text := range r.Noise {
			var noise [2]float64
			json.Unmarshal(text, &noise)
			outputs = append(outputs, x+noise[0]+noise[1])
		}
		return outputs
	})
}

// lawOf runs a fake on two coins.
func lawOf(t *testing.T, name string, claim audit.Claim) (audit.Law, error) {
	t.Helper()
	p, err := Start(fake(name), "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	coins := audit.Source[json.RawMessage]{
		Values: []json.RawMessage{json.RawMessage("0"), json.RawMessage("1.0")}, P: []*big.Rat{big.NewRat(1, 3),
			big.NewRat(2, 3)}, Count: 2,
	}
	return p.Law(t.Context(), claim, [2]json.RawMessage{json.RawMessage("0"), json.RawMessage("1")}, coins)
}

var expTwo = audit.DP(loss.Exp(big.NewRat(2, 1)), new(big.Rat))

// By hand: two coins that are 1 with probability 2/3 have the sums 0, 1, 2 with 1/9, 4/9, 4/9.
func TestLaw_ByHand(t *testing.T) {
	defer func(n int) { perRequest = n }(perRequest)
	for _, perRequest = range []int{1, 3, 10_000} {
		law, err := lawOf(t, "adder", expTwo)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, c := range law.Cells {
			got[c.Name] = c.Exact[0].RatString() + " " + c.Exact[1].RatString()
		}
		if want := "map[0:1/9 0 1:4/9 1/9 2:4/9 4/9 3:0 4/9]"; fmt.Sprint(got) != want || !law.Complete {
			t.Errorf("%d a request: the law is %v, must be %s", perRequest, got, want)
		}
	}
}

func TestLaw_Faults(t *testing.T) {
	parts := audit.Claim{Parts: []audit.Part{{Name: "bot", Eps: loss.Nats(big.NewRat(1, 1))}}, Delta: new(big.Rat)}
	for _, test := range []struct {
		fake  string
		claim audit.Claim
		want  string
	}{
		{"coin", expTwo, "must depend on input and noise only"},
		{"half", parts, `is 0.5, must be of the form {"part": "…", "value": …}`},
		{"top", parts, `is in part "top", must be in one of the claim`},
		{"report", expTwo, "the program reports an error"},
		{"too few", expTwo, "the reply has 1 outputs, must have 4"},
	} {
		if _, err := lawOf(t, test.fake, test.claim); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error is %v, must have %q in it", test.fake, err, test.want)
		}
	}
}
