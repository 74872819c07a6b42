package odp

import (
	"fmt"
	"math/big"
	"strings"

	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// neighbours are the runs with the same outputs and one threshold on two neighbouring
// databases.
type neighbours [2][]impl.Comparison

func (p neighbours) String() string {
	var text [3][]string
	for _, group := range p.groups() {
		times := ""
		if n := len(group[0]); n > 1 {
			times = fmt.Sprintf("%d × ", n)
		}
		for b := range p {
			text[b] = append(text[b], times+rat.Show(group[b][0].Query))
		}
		text[2] = append(text[2], times+arrows([]bool{group[0][0].Above}))
		if r := group[0][0].Released; r != nil {
			text[2] = append(text[2], fmt.Sprintf("printed in [%s]", rat.Show(r.Low, r.High)))
		}
	}
	return fmt.Sprintf("T = %s, answers (%s) against (%s), output (%s)", rat.Show(p[0][0].Threshold),
		strings.Join(text[0], ", "), strings.Join(text[1], ", "), strings.Join(text[2], ", "))
}

// arrows writes outputs.
func arrows(a []bool) string {
	var text strings.Builder
	for _, above := range a {
		text.WriteString(map[bool]string{true: "⊤", false: "⊥"}[above])
	}
	return text.String()
}

// groups returns the pieces of equal comparisons.
func (p neighbours) groups() []neighbours {
	var result []neighbours
	same := func(x, y impl.Comparison) bool { return x.Query.Cmp(y.Query) == 0 && x.Above == y.Above }
	for from, to := 0, 0; from < len(p[0]); from = to {
		for to < len(p[0]) && same(p[0][from], p[0][to]) && same(p[1][from], p[1][to]) {
			to++
		}
		result = append(result, neighbours{p[0][from:to], p[1][from:to]})
	}
	return result
}

// released returns the number of ⊤.
func (p neighbours) released() int {
	count := 0
	for _, c := range p[0] {
		if c.Above {
			count++
		}
	}
	return count
}

// changed returns the runs with other answers and thresholds.
func (p neighbours) changed(query, threshold func(x *big.Rat) *big.Rat) (result neighbours) {
	for b, run := range p {
		for _, c := range run {
			result[b] = append(result[b], impl.Comparison{Query: query(c.Query), Threshold: threshold(c.Threshold),
				Above: c.Above})
		}
	}
	return result
}

// times returns the runs with answers and thresholds multiplied by a factor.
func (p neighbours) times(factor *big.Rat) neighbours {
	multiply := func(x *big.Rat) *big.Rat { return rat.Mul(factor, x) }
	return p.changed(multiply, multiply)
}

// eitherFirst visits the runs, and those with x and x' exchanged if they are others.
func eitherFirst(pair neighbours, visit func(pair neighbours)) {
	visit(pair)
	if unordered(pair[0]) != unordered(pair[1]) {
		visit(neighbours{pair[1], pair[0]})
	}
}

// queries returns n queries with threshold 0, on both databases.
func queries(n int, answer0, answer1 string, above bool) (both neighbours) {
	for b, answer := range [2]string{answer0, answer1} {
		for range n {
			both[b] = append(both[b], impl.Comparison{Query: rat.Of(answer), Threshold: new(big.Rat), Above: above})
		}
	}
	return both
}

// runs puts queries one after the other.
func runs(parts ...neighbours) (both neighbours) {
	for _, part := range parts {
		for b := range both {
			both[b] = append(both[b], part[b]...)
		}
	}
	return both
}

// smallRuns visits all lists of l comparisons, in no order, with T = 0: answers −2, 0
// and 1 on one database, up to 1 more or less on the other, ⊥ and ⊤; all ⊤ are last.
// Either database comes first.
func smallRuns(l int, visit func(pair neighbours)) {
	var kinds []neighbours
	for _, above := range []bool{false, true} {
		for _, answer := range []int{0, 1, -2} {
			for _, change := range []int{0, 1, -1} {
				kinds = append(kinds, queries(1, fmt.Sprint(answer), fmt.Sprint(answer+change), above))
			}
		}
	}
	var extend func(pair neighbours, from int)
	extend = func(pair neighbours, from int) {
		if len(pair[0]) == l {
			eitherFirst(pair, visit)
			return
		}
		for i := from; i < len(kinds); i++ {
			extend(runs(pair, kinds[i]), i)
		}
	}
	extend(neighbours{}, 0)
}

// extremeRuns are those whose loss comes closest to the charge ε_1 + (c'/c)·ε_2: from x to
// x' many answers with ⊥ go up by 1 and the c' with ⊤ go down by 1. Many ⊥ mean that ρ is
// large. Then x' asks for a ρ larger by 1 than x, at a ratio of e^(ε_1); and each ⊤, with
// its query lower by 1 too, for a ν_i larger by 2, at a ratio of e^(ε_2/c).
func extremeRuns(released int) (all []neighbours) {
	for _, s := range []struct {
		n       int
		answers [4]string
	}{{1, [4]string{"0", "1", "0", "-1"}}, {4, [4]string{"0", "1", "0", "-1"}}, {16, [4]string{"0", "1", "0", "-1"}},
		{32, [4]string{"0", "1", "0", "-1"}}, {32, [4]string{"4", "5", "5", "4"}}, {64, [4]string{"-4", "-3", "0", "-1"}}} {
		all = append(all, runs(queries(s.n, s.answers[0], s.answers[1], false),
			queries(released, s.answers[2], s.answers[3], true)))
	}
	return all
}

// wrongSparseVector is a variant of the sparse vector technique that was published as
// ε-DP and is not, with two neighbouring databases (every query changes by at most 1)
// and outputs that show it.
type wrongSparseVector struct {
	Name       string
	Difference string   // from Algorithm 2
	Eps        *big.Rat // what was claimed
	Law        impl.SparseVectorLaw
	Runs       neighbours // the outputs, with the answers on either database
}

// wrongSparseVectors returns the variants that Lyu, Su and Li (2017) collected, with the
// budget ε = 1, in the split of each. Every loss here is larger than 1.
func wrongSparseVectors() []wrongSparseVector {
	law := func(rho, nu string, cutoff int) impl.SparseVectorLaw {
		return impl.SparseVectorLaw{RhoScale: rat.Of(rho), NuScale: rat.Of(nu), Cutoff: cutoff}
	}
	roth := runs(queries(8, "0", "1", false), queries(1, "0", "0", true))
	for _, run := range roth {
		run[len(run)-1].Released = &impl.Range{Low: rat.Of("-1/1000"), High: rat.Of("0")}
	}
	const lee, chen = "ε_1 = ε/4, and ν ~ Lap(Δ/ε_2) whatever c is", "ν ~ Lap(Δ/ε_2), no cutoff"
	return []wrongSparseVector{
		{"Stoddard et al. 2014", "no noise on the queries, no cutoff", rat.One, law("2", "0", 0),
			runs(queries(1, "0", "1", false), queries(1, "1", "0", true))},
		{"Lee and Clifton 2014, c = 1", lee, rat.One, law("4", "4/3", 1),
			runs(queries(5, "1", "2", false), queries(1, "1", "0", true))},
		{"Lee and Clifton 2014, c = 3", lee, rat.One, law("4", "4/3", 3),
			runs(queries(5, "1", "2", false), queries(3, "1", "0", true))},
		{"Chen et al. 2015, 10 queries", chen, rat.One, law("2", "2", 0),
			runs(queries(5, "0", "1", false), queries(5, "0", "-1", true))},
		{"Chen et al. 2015, 16 queries", chen, rat.One, law("2", "2", 0),
			runs(queries(8, "0", "1", false), queries(8, "0", "-1", true))},
		{"Roth 2011, c = 1", "ν ~ Lap(cΔ/ε_2), and prints q + ν with ⊤: here a number in [−1/1000, 0]", rat.One,
			law("2", "2", 1), roth},
	}
}

// wrongSparseVectorClaims are refuted by the outputs of each.
func wrongSparseVectorClaims() (claims []register.Part) {
	for _, w := range wrongSparseVectors() {
		claims = append(claims, register.Control(
			fmt.Sprintf("the variant of %s (%s) is %s-DP", w.Name, w.Difference, rat.Show(w.Eps)),
			func(t *register.T) {
				t.Domain("%s; the outputs that refute it", w.Difference)
				t.Case()
				if p := (probabilities{t, w.Law}); p.exceeds(w.Runs, w.Eps) {
					t.Refute("%s > ε = %s", p.evidence(w.Runs), w.Eps)
				}
			}))
	}
	return claims
}
