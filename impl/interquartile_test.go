package impl

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Ranges that are 1e-40 away from an edge, relative to it, are put on the right side,
// although 64 bits do not tell.
func TestIQRBin_NearEdge(t *testing.T) {
	t.Parallel()
	n := interval.Precision(400)
	for _, records := range []int{2, 3, 100, 1 << 20} {
		for _, m := range []int{-7, 0, 1, 30} {
			base := iqrBaseOf(n, records)
			edge := n.Power(base, max(m, -m))
			if m < 0 {
				edge = n.Quo(n.Int(1), edge)
			}
			at, _ := edge.Lower.Rat(nil)
			for _, away := range []string{"1e-40", "-1e-40"} {
				step := rational.MustParse(away)
				r := new(big.Rat).Mul(at, new(big.Rat).Add(rational.One, step))
				s := sample{records: make([]*big.Rat, records), iqr: r}
				want := 2 * m
				if step.Sign() < 0 {
					want -= 2
				}
				if b := s.bin(1); b.lower.halves != want || b.upper.halves != want+2 {
					t.Errorf("n = %d, m = %d, %s: bin is [%d/2, %d/2), must begin at %d/2", records, m, away, b.lower.halves, b.upper.halves, want)
				}
			}
		}
	}
}

// A range of 1 is L = 0: the lower edge of a bin of j = 1, the middle of one of j = 2.
func TestIQRBin_One(t *testing.T) {
	t.Parallel()
	s := sample{records: make([]*big.Rat, 10), iqr: rational.One}
	if b := s.bin(1); b.lower.halves != 0 || b.upper.halves != 2 {
		t.Errorf("j = 1: [%d/2, %d/2)", b.lower.halves, b.upper.halves)
	}
	if b := s.bin(2); b.lower.halves != -1 || b.upper.halves != 1 {
		t.Errorf("j = 2: [%d/2, %d/2)", b.lower.halves, b.upper.halves)
	}
}

// Very large and very small ranges have a bin.
func TestIQRBin_Extreme(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1e-2000", "1e2000", "1e-300"} {
		r := rational.MustParse(text)
		s := sample{records: make([]*big.Rat, 50), iqr: r}
		if b := s.bin(2); b.isBelow(r) || b.isAbove(r) {
			t.Errorf("%s is not in its bin", text)
		}
	}
}

func TestReals_Sqrt(t *testing.T) {
	t.Parallel()
	n := interval.Precision(100)
	for _, text := range []string{"0", "1", "2", "1e-200", "12345.678"} {
		x := rational.MustParse(text)
		root := n.Sqrt(n.Rat(x))
		if square := n.Mul(root, root); !square.Contains(x) || square.RelWidth() > 1e-20 {
			t.Errorf("√%s is [%g, %g]", text, root.Lower, root.Upper)
		}
	}
}

// The law of a range of 0 is a point, and that of another one has its median there.
func TestIQRLaw_AtMost(t *testing.T) {
	t.Parallel()
	eps, delta := loss.Nats(big.NewRat(1, 2)), big.NewRat(1, 10)
	point, err := LawOfPrivateIQR([]*big.Rat{rational.One, rational.One, rational.One}, eps, delta)
	if err != nil {
		t.Fatal(err)
	}
	if got := point.atMost(new(big.Rat)); got != point.Answer {
		t.Errorf("up to 0: %v, must be %v", got, point.Answer)
	}
	if got := point.atMost(big.NewRat(-1, 1)); got.Upper.Sign() != 0 {
		t.Errorf("up to −1: %v, must be 0", got)
	}
	law, err := LawOfDiscretizedIQR([]*big.Rat{rational.One, big.NewRat(4, 1)}, 1, eps, delta)
	if err != nil {
		t.Fatal(err)
	}
	if median, _ := law.atMost(big.NewRat(3, 1)).Lower.Float64(); math.Abs(median-0.025) > 1e-15 {
		t.Errorf("up to the range: %g, must be δ/4", median)
	}
	if zero := law.atMost(new(big.Rat)); zero.Upper.Sign() != 0 {
		t.Errorf("up to 0: %v, must be 0", zero)
	}
}

// The ends of the domain belong to it, and no more.
func TestCheckIQRTest_Ends(t *testing.T) {
	t.Parallel()
	least, most := rational.MustParse("1e-300"), big.NewRat(1000, 1)
	for _, test := range []struct {
		eps   loss.Epsilon
		delta *big.Rat
		ok    bool
	}{
		{loss.Nats(least), least, true}, {loss.Nats(most), rational.One, true}, {testkit.ExpOf("1e434"), rational.One, true},
		{loss.Exp(new(big.Rat).Add(rational.One, rational.MustParse("1.0000000001e-300"))), least, true},
		{loss.Exp(new(big.Rat).Add(rational.One, least)), least, false}, // ln(1 + x) < x
		{testkit.NatsOf("0.9999999999999999999999e-300"), rational.One, false},
		{loss.Nats(most), testkit.NatsOf("0.9999999999999999999999e-300").Rat(), false},
		{testkit.NatsOf("1000.00000000000000000000001"), rational.One, false}, {testkit.ExpOf("1e435"), rational.One, false},
	} {
		if err := checkPTRTest(test.eps, test.delta); (err == nil) != test.ok {
			t.Errorf("ε = %v, δ = %v: %v", test.eps, test.delta, err)
		}
	}
	x := []*big.Rat{rational.One, new(big.Rat), rational.One}
	if _, err := LawOfPrivateIQR(x, loss.Nats(least), least); err != nil {
		t.Error(err)
	}
}

func TestIQR_Errors(t *testing.T) {
	t.Parallel()
	x, half := []*big.Rat{rational.One, new(big.Rat)}, big.NewRat(1, 2)
	tests := []struct {
		x     []*big.Rat
		eps   loss.Epsilon
		delta *big.Rat
		want  string
	}{
		{x[:1], loss.Nats(rational.One), half, "there are 1 records, must be at least 2"},
		{[]*big.Rat{rational.One, nil}, loss.Nats(rational.One), half, "record 2 is missing, must be a number"},
		{x, loss.Nats(new(big.Rat)), half, "ε is 0, must be at least 1e-300 and at most 1000"},
		{x, loss.Exp(rational.One), half, "ε is 0, must be"},
		{x, loss.Nats(big.NewRat(1001, 1)), half, "ε is 1001, must be"},
		{x, loss.Exp(half), half, "exp_eps is 0.5, must be at least 1"},
		{x, loss.Nats(rational.One), new(big.Rat), "δ is 0, must be at least 1e-300 and at most 1"},
		{x, loss.Nats(rational.One), big.NewRat(2, 1), "δ is 2, must be"},
		{x, loss.Nats(rational.One), nil, "δ is missing, must be"},
	}
	for _, test := range tests {
		_, _, run := PrivateIQR(test.x, test.eps, test.delta, nil)
		_, law := LawOfPrivateIQR(test.x, test.eps, test.delta)
		for _, err := range []error{run, law} {
			testkit.ExpectError(t, err, test.want)
		}
	}
	law, _ := LawOfPrivateIQR(x, loss.Nats(rational.One), half)
	if _, err := SmallestIQRDelta(law, IQRLaw{}, 2, 1); err == nil {
		t.Error("a law that is missing is accepted")
	}
	if _, err := SmallestIQRDelta(law, law, -1, 1); err == nil {
		t.Error("a negative charge is accepted")
	}
	if _, err := SmallestIQRDelta(law, law, 1, 1e9); err == nil {
		t.Error("a charge that overflows is accepted")
	}
	if _, err := law.AtMost(nil); err == nil {
		t.Error("AtMost: no number is accepted")
	}
	if _, err := (IQRLaw{}).AtMost(rational.One); err == nil {
		t.Error("AtMost: a law that is missing is accepted")
	}
	if _, err := law.AtMost(rational.One); err != nil {
		t.Error(err)
	}
	if _, err := IQRDistance(nil, 1); err == nil {
		t.Error("A_1 of no records is accepted")
	}
	if _, err := SampleIQR([]*big.Rat{nil, nil}); err == nil {
		t.Error("records that are missing are accepted")
	}
	if _, err := IQRBottom(0, loss.Nats(rational.One), half); err == nil {
		t.Error("A = 0 is accepted")
	}
}
