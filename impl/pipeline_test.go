package impl

import (
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

func TestLaw_Symmetry(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1/2,1/2 1/2,1/2":                              true,
		"3/4,1/4 1/8,3/8 1/8,3/8":                      true,
		"3/4,1/4 1/8,1/4 1/8,1/2":                      false,
		"4/5,9/10 1/5,1/10":                            false,
		"1/2,0 0,1/4 0,1/4 1/2,1/2 0,0":                true,
		"1/2,0 1/2,1":                                  false,
		"0,1/2 1,1/2":                                  false,
		"1,0 0,1":                                      true,
		"1/2,1/4 1/4,1/2 1/6,1/12 1/12,1/6":            true,
		"1/2,1/4 1/4,1/2 1/6,1/12 1/24,1/12 1/24,1/12": true,
	} {
		if got := len(parsed("law "+text).Orders()) == 1; got != want {
			t.Errorf("%s: symmetric is %v", text, got)
		}
	}
}

// allocated returns how many bytes f allocates: about what it does, on a busy machine, too.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A sum is said exactly, or by how much it is off; denominators without common factors do not take long.
func TestLaw_Sum(t *testing.T) {
	t.Parallel()
	little := rational.Power(rational.MustParse("10"), -10000)
	less := new(big.Rat).Neg(little)
	off := func(x *big.Rat) Law { return Law{{new(big.Rat).Add(rational.One, x), rational.One}} }
	for want, l := range map[string]Law{
		"first numbers of its outputs, their P, with the sum 2/3, must be 1":                lawOf("1/3,1/2 1/3,1/2"),
		"second numbers of its outputs, their Q, with the sum 0.75, must be 1":              lawOf("1/2,1/4 1/2,1/2"),
		"first numbers of its outputs, their P, with the sum 1 + about 1e-10000, must be 1": off(little),
		"first numbers of its outputs, their P, with the sum 1 − about 1e-10000, must be 1": off(less),
	} {
		if got := brokenLaw(l); got != "has "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var long Law
	for i := range int64(1024) {
		x := rational.Power(big.NewRat(1, 1024+i), 90)
		long = append(long, [2]*big.Rat{x, x})
	}
	bytes := allocated(func() {
		if fault := brokenLaw(long); !strings.Contains(fault, "with the sum 1 − about 1") {
			t.Error(fault)
		}
	})
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
	p := Pipeline{[]Mechanism{{Law: l, Count: 2}}, []Stop{{After: 2, Eps: exactly(0.125)}}}
	if r := solve(t, p, Options{RelWidth: 1e-15}); r.Method != Lattice {
		t.Error(r)
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
		return OneStop(p.Mechanisms)
	}
	charges := func(n int) Pipeline {
		p := parsed(fmt.Sprintf("law 1/2,1/3 1/2,2/3 x%d | every 1", n))
		for i := range p.Stops {
			p.Stops[i].Eps = loss.Exp(big.NewRat(int64(10000+i), 1))
		}
		return p
	}
	const many = "law has losses too many: the laws and exp_eps have %d different ones in all, must have at most 4095"
	for _, tt := range []struct {
		p    Pipeline
		want string
	}{
		{laws(4, 900, "1"), "<nil>"},
		{laws(6, 900, "1"), "mechanism 5: " + fmt.Sprintf(many, 5400)},
		{laws(2, 900, "1e-200"), "<nil>"},
		{laws(6, 1000, "1e-199"), "mechanism 4: law has losses that are too long: " +
			"P/Q and exp_eps have more than 2097152 bits up to here"},
		{charges(4093), "<nil>"},
		{charges(4094), "mechanism 1: " + fmt.Sprintf(many, 4096)},
	} {
		if got := fmt.Sprint(tt.p.Validate()); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if err := tt.p.Problem().Validate(); err != nil && tt.want == "<nil>" {
			t.Errorf("the checker refuses what is valid: %v", err)
		}
	}
}

// What rules of noise say stands behind its name, if it has one.
func TestPipeline_Noise(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		noise certify.Noise
		want  string
	}{
		{"gaussian",
			"mechanism 1: gaussian: the scale of gaussian noise is missing, must be a multiple of what a record contributes"},
		{"", `mechanism 1: noise is "", must be gaussian, laplace or discrete_gaussian`},
	} {
		m := Mechanism{Additive: &certify.Additive{Noise: tt.noise}, Count: 1}
		err := Pipeline{Mechanisms: []Mechanism{m}, Stops: []Stop{{After: 1}}}.Validate()
		if err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}
