package exact

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"checkrr/impl/certify"
)

func ln(n, d int64) certify.Number { return certify.Number{Value: big.NewRat(n, d), Log: true} }

// By hand: ε = ln 3, δ = 1/5. After one mechanism 4/5·3/4 lose ln 3 and 1/5 is impossible under P1;
// after two, 4/5·4/5·9/16 lose ln 9, and 9/25 is impossible.
func TestOptDel(t *testing.T) {
	t.Parallel()
	m := certify.Mechanism{Eps: ln(3, 1), Delta: big.NewRat(1, 5), Count: 2}
	p := certify.Problem{Mechanisms: []certify.Mechanism{m}, Stops: []certify.Stop{{After: 1, Eps: ln(2, 1)},
		{After: 2, Eps: ln(6, 1)}}}
	optDel, singles, err := OptDel(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	// A loss of ln 3 ends for 1 − 2/3, or goes on for 1/5 + 4/5·3/4·(1 − 6/9) = 2/5; the first output pays 1.
	if want := big.NewRat(1*25+15*2+5*1, 125); optDel.Cmp(want) != 0 {
		t.Errorf("OptDel is %s, want %s", optDel, want)
	}
	// 1/5 + 3/5·(1 − 2/3), and 9/25 + 9/25·(1 − 6/9).
	for i, want := range []*big.Rat{big.NewRat(2, 5), big.NewRat(12, 25)} {
		if singles[i].Cmp(want) != 0 {
			t.Errorf("stop %d is %s, want %s", i+1, singles[i], want)
		}
	}
}

func TestOptDel_TooLarge(t *testing.T) {
	t.Parallel()
	m := certify.Mechanism{Eps: ln(11, 10), Delta: new(big.Rat), Count: 1 << 30}
	p := certify.Problem{Mechanisms: []certify.Mechanism{m}, Stops: []certify.Stop{{After: m.Count, Eps: ln(2, 1)}}}
	if _, _, err := OptDel(context.Background(), p); !errors.Is(err, ErrTooLarge) {
		t.Errorf("the error is %v, want %v", err, ErrTooLarge)
	}
}
