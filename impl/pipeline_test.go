package impl

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// lawOf returns the law that is written as "P,Q P,Q …".
func lawOf(text string) (l Law) {
	for output := range strings.FieldsSeq(text) {
		p, q, _ := strings.Cut(output, ",")
		l = append(l, [2]*big.Rat{rational.MustParse(p), rational.MustParse(q)})
	}
	return l
}

func TestLaw_Symmetry(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1/2,1/2 1/2,1/2":                              true,
		"3/4,1/4 1/4,3/4":                              true,
		"3/4,1/4 1/8,3/8 1/8,3/8":                      true,
		"3/4,1/4 1/8,1/4 1/8,1/2":                      false,
		"4/5,9/10 1/5,1/10":                            false,
		"1/2,0 0,1/2 1/2,1/2":                          true,
		"1/2,0 0,1/4 0,1/4 1/2,1/2 0,0":                true,
		"1/2,0 1/2,1":                                  false,
		"0,1/2 1,1/2":                                  false,
		"1,0 0,1":                                      true,
		"1/2,1/4 1/4,1/2 1/8,1/8 1/8,1/8":              true,
		"1/2,1/4 1/4,1/2 1/6,1/12 1/12,1/6":            true,
		"1/2,1/4 1/4,1/2 1/6,1/12 1/24,1/12 1/24,1/12": true,
	} {
		if got := len(Pipeline{Mechanisms: []Mechanism{{Law: lawOf(text), Count: 1}}}.Orders()) == 1; got != want {
			t.Errorf("%s: symmetric is %v", text, got)
		}
	}
}

// A sum is said exactly, or by how much it is off; denominators without common factors do not take long.
func TestLaw_Sum(t *testing.T) {
	little := rational.Power(rational.MustParse("10"), -10000)
	off := func(x *big.Rat) Law { return Law{{new(big.Rat).Add(rational.One, x), rational.One}} }
	for want, l := range map[string]Law{
		"has first numbers of its outputs, their P, with the sum 2/3, must be 1":                lawOf("1/3,1/2 1/3,1/2"),
		"has second numbers of its outputs, their Q, with the sum 0.75, must be 1":              lawOf("1/2,1/4 1/2,1/2"),
		"has first numbers of its outputs, their P, with the sum 1 + about 1e-10000, must be 1": off(little),
		"has first numbers of its outputs, their P, with the sum 1 − about 1e-10000, must be 1": off(new(big.Rat).Neg(little)),
	} {
		if got := brokenLaw(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var long Law
	for i := range 1024 {
		x := rational.MustParse(fmt.Sprintf("1/%d", 1024+i))
		long = append(long, [2]*big.Rat{rational.Power(x, 90), rational.Power(x, 90)})
	}
	fault := ""
	bytes := allocated(func() { fault = brokenLaw(long) })
	if !strings.HasPrefix(fault, "has first numbers of its outputs, their P, with the sum 1 − about 1") {
		t.Error(fault)
	}
	if bytes > 1<<30 {
		t.Errorf("%d MB were allocated", bytes>>20)
	}
}

// Where every loss can be a state, no grid is needed, and any width can be had.
func TestLaw_States(t *testing.T) {
	t.Parallel()
	var l Law
	for i := range int64(20) {
		l = append(l, [2]*big.Rat{big.NewRat(1003+7*i*i, 37350), big.NewRat(1, 20)})
	}
	p := Pipeline{[]Mechanism{{Law: l, Count: 2}}, []Stop{{After: 2, Eps: loss.Nats(big.NewRat(1, 10))}}}
	r, err := OptDel(t.Context(), p, Options{RelWidth: 1e-15})
	if err != nil || r.Shortfall != "" || r.Method != Lattice {
		t.Error(err, r)
	}
}

// Losses are refused where they are more, or longer, than there is room for in the checker.
func TestLaw_Losses(t *testing.T) {
	t.Parallel()
	laws := func(laws, outputs int, denominator string) (p Pipeline) {
		for i := range laws {
			sum, law := new(big.Rat), Law{}
			for j := range outputs {
				q := big.NewRat(int64(i*outputs+j+1), 1000000000)
				law = append(law, [2]*big.Rat{big.NewRat(1, int64(outputs)), q.Mul(q, rational.MustParse(denominator))})
				sum.Add(sum, q)
			}
			law[0][1].Add(law[0][1], sum.Sub(rational.One, sum))
			p.Mechanisms = append(p.Mechanisms, Mechanism{Law: law, Count: 1})
		}
		p.Stops = []Stop{{After: laws, Eps: loss.Nats(rational.One)}}
		return p
	}
	charges := func(n int) (p Pipeline) {
		p.Mechanisms = []Mechanism{{Law: lawOf("1/2,1/3 1/2,2/3"), Count: n}}
		for i := range n {
			p.Stops = append(p.Stops, Stop{After: i + 1, Eps: loss.Exp(big.NewRat(int64(10000+i), 1))})
		}
		return p
	}
	for _, tt := range []struct {
		p    Pipeline
		want string
	}{
		{laws(4, 900, "1"), ""},
		{laws(6, 900, "1"), "mechanism 5: law has losses too many: the laws and exp_eps have 5400 different ones in all, must have at most 4095"},
		{laws(2, 900, "1e-200"), ""},
		{laws(6, 1000, "1e-199"), "mechanism 4: law has losses that are too long: P/Q and exp_eps have more than 2097152 bits up to here"},
		{charges(4093), ""},
		{charges(4094), "mechanism 1: law has losses too many: the laws and exp_eps have 4096 different ones in all, must have at most 4095"},
	} {
		got := ""
		if err := tt.p.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if err := tt.p.Problem().Validate(); err != nil && tt.want == "" {
			t.Errorf("the checker refuses what is valid: %v", err)
		}
	}
}
