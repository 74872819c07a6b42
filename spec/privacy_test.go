package spec

import (
	"fmt"
	"math/big"
	"testing"
)

// law reads probabilities of the outputs a, b, c, …
func law(probabilities ...string) map[string]*big.Rat {
	result := map[string]*big.Rat{}
	for i, pr := range probabilities {
		result[string(rune('a'+i))] = rat(pr)
	}
	return result
}

// partOfLetter puts the output a into part 0 and all others into part 1.
func partOfLetter(output string) int {
	if output == "a" {
		return 0
	}
	return 1
}

func TestSmallestDeltaDomain(t *testing.T) {
	t.Parallel()
	fair := law("1/2", "1/2")
	wide := map[string]*big.Rat{}
	for i := range 21 {
		wide[fmt.Sprint(i)] = rat("1/21")
	}
	ones, missing := []*big.Rat{one, one}, map[string]*big.Rat{"a": nil, "b": one}
	for want, test := range map[string]struct {
		law0, law1 map[string]*big.Rat
		expE       []*big.Rat
	}{
		"there are 21 outputs, must be at most 20":                  {wide, wide, ones},
		`output "b": part is 1, must be at least 0 and less than 1`: {fair, fair, ones[:1]},
		"part 1: e^eps is 1/2, must be at least 1":                  {fair, fair, []*big.Rat{one, rat("1/2")}},
		"law1: probabilities sum to 5/6, must be 1":                 {fair, law("1/2", "1/3"), ones},
		"law0: probabilities sum to 0, must be 1":                   {nil, nil, ones},
		`law0: probability of "a" is -1/2, must be at least 0`:      {law("-1/2", "3/2"), fair, ones},
		`law1: probability of "a" is missing`:                       {fair, missing, ones},
	} {
		refuse(t, map[string]error{
			"SmallestDelta: " + want: second(SmallestDelta(test.law0, test.law1, partOfLetter, test.expE)),
			want:                     second(SmallestDeltaBothWays(test.law0, test.law1, partOfLetter, test.expE)),
		})
	}
}
