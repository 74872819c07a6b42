package audit

import (
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

func TestClaim_Validate(t *testing.T) {
	part := func(name string, eps loss.Epsilon) Part { return Part{name, eps} }
	ok := loss.Nats(rat.Of("1"))
	for _, good := range []Claim{
		DP(ok, rat.Of("0")), DP(ok, rat.Of("1")), DP(loss.Exp(rat.Of("1")), rat.Of("1/2")),
		{[]Part{part("a", ok)}, rat.Of("0")}, {[]Part{part("a", ok), part("b", exp2)}, rat.Of("0")},
	} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for want, bad := range map[string]Claim{
		"no parts":               {Delta: rat.Of("0")},
		`part "a" is there twi`:  {[]Part{part("a", ok), part("a", ok)}, rat.Of("0")},
		"part 2 has no name":     {[]Part{part("a", ok), part("", ok)}, rat.Of("0")},
		"delta is 2/1":           DP(ok, rat.Of("2")),
		"delta is -1/9":          DP(ok, rat.Of("-1/9")),
		"delta is <nil>":         DP(ok, nil),
		`part "": `:              DP(loss.Nats(rat.Of("-1")), rat.Of("0")),
		`part "b": `:             {[]Part{part("a", ok), part("b", loss.Exp(rat.Of("1/2")))}, rat.Of("0")},
		"delta is 1000001/10000": DP(ok, big.NewRat(1000001, 1000000)),
	} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, must contain %q", err, want)
		}
	}
}

func TestClaim_Part(t *testing.T) {
	dp, odp := nats(1), partsClaim(2, 3)
	if i, err := dp.Part("anything"); i != 0 || err != nil || !dp.IsDP() {
		t.Errorf("part of DP is %d, %v, must be 0", i, err)
	}
	if i, err := odp.Part("b"); i != 1 || err != nil || odp.IsDP() {
		t.Errorf("part b is %d, %v, must be 1", i, err)
	}
	if _, err := odp.Part("c"); err == nil || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("part c: error is %v", err)
	}
	one := Claim{odp.Parts[:1], odp.Delta} // one part with a name is a partition
	if _, err := one.Part("b"); err == nil || one.IsDP() {
		t.Errorf("part b of a only: error is %v", err)
	}
}
