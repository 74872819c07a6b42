package finite

import (
	"math/big"
	"strings"
	"testing"

	"checkrr/spec"
	"checkrr/verify/rat"
)

// What a view is could not be read from its name.
func TestODPFilterComposition_Comma(t *testing.T) {
	t.Parallel()
	one := map[string]*big.Rat{"0,1": rat.One}
	comma := spec.Choice{Laws: [2]map[string]*big.Rat{one, one}, Part: func(string) int { return 0 },
		ExpE: rat.List("1"), Delta: new(big.Rat)}
	always := spec.Adversary{Coins: 1, Choose: func(string, []string) spec.Choice { return comma }}
	_, err := ODPFilterComposition(always, spec.SumFilter(rat.One, rat.One), 1)
	if err == nil || !strings.Contains(err.Error(), "no comma") {
		t.Errorf("error %v", err)
	}
}
