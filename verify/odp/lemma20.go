package odp

import (
	"fmt"
	"iter"
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lemma20 are Lemma 20 and the inequalities of its proof.
func lemma20() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-L20",
			Title:   "A (𝒫, ℰ, δ)-ODP mechanism, followed after v ∈ P_k by an (ε_t − ℰ(P_k), δ_t − δ)-DP one, is (ε_t, δ_t)-DP",
			Kind:    register.Exact,
			Verdict: register.Holds,
			In:      []string{"spec.SmallestDPDelta", "spec.SmallestDeltaBothWays"},
			Check:   twoSteps(asPrinted, func(s step) *big.Rat { return s.deltaT }),
			Controls: []register.Claim{
				{Says: "the second one may have all of ε_t", Check: twoSteps(
					func(s step, _ int) (*big.Rat, *big.Rat) { return s.expEpsT, s.rest() },
					func(s step) *big.Rat { return s.deltaT })},
				{Says: "the second one may have all of δ_t", Check: twoSteps(
					func(s step, k int) (*big.Rat, *big.Rat) { return rat.Quo(s.expEpsT, s.first.ExpE[k]), s.deltaT },
					func(s step) *big.Rat { return s.deltaT })},
				{Says: "without the term δ_t − δ: it is (ε_t, δ)-DP", Check: twoSteps(asPrinted,
					func(s step) *big.Rat { return s.first.Delta })},
				{Says: "it is (ε_t, δ_t − (δ_t − δ)/4)-DP", Check: twoSteps(asPrinted,
					func(s step) *big.Rat { return rat.Sub(s.deltaT, rat.Mul(big.NewRat(1, 4), s.rest())) })},
				{Says: "the second one may have 13/10 of δ_t − δ", Check: twoSteps(
					func(s step, k int) (*big.Rat, *big.Rat) {
						return rat.Quo(s.expEpsT, s.first.ExpE[k]), rat.Mul(big.NewRat(13, 10), s.rest())
					},
					func(s step) *big.Rat { return s.deltaT })},
			},
		},
		{
			ID:      "ODP-E6",
			Title:   "For S ⊆ P_k: Pr(M_1(x⁰) ∈ S) ≤ e^ℰ(P_k) Pr(M_1(x¹) ∈ S) + μ₊(S)",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "On finitely many outputs μ₊(S) is the sum of the positive parts of μ over the outputs in S.",
			Check:   onParts(func(s step, k int) *big.Rat { return s.first.ExpE[k] }, rat.Positive),
			Controls: []register.Claim{
				{Says: "without μ₊", Check: onParts(func(s step, k int) *big.Rat { return s.first.ExpE[k] }, func(*big.Rat) *big.Rat { return new(big.Rat) })},
				{Says: "with the smallest ℰ instead of ℰ(P_k)", Check: onParts(func(s step, _ int) *big.Rat { return rat.Min(s.first.ExpE...) }, rat.Positive)},
			},
		},
		{
			ID:      "ODP-E7",
			Title:   "From p ≤ e·q + d follows p = p ∧ 1 ≤ [e·q + d] ∧ 1 ≤ ([e·q] ∧ 1) + d",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "p, q = Pr((v, M_2^b(v)) ∈ S), e = e^(ε_t − ℰ(P_k)), d = δ_t − δ.",
			Check:   capped(func(eq, d *big.Rat) *big.Rat { return rat.Add(atMostOne(eq), d) }),
			Controls: []register.Claim{
				{Says: "the last bound misread as [e·q] ∧ (1 + d)", Check: capped(func(eq, d *big.Rat) *big.Rat {
					return rat.Min(eq, rat.Add(rat.One, d))
				})},
				{Says: "the last bound without d", Check: capped(func(eq, _ *big.Rat) *big.Rat { return atMostOne(eq) })},
			},
		},
		{
			ID:      "ODP-E8",
			Title:   "Pr(V⁰ ∈ 𝒱_k) ≤ e^ε_t Pr(V¹ ∈ 𝒱_k) + μ₊(P_k) + (δ_t − δ) Pr(M_1(x⁰) ∈ P_k)",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "The integrand [...] ∧ 1 + δ_t − δ has no outer parentheses in [A]; it is read with those of [B].",
			Check:   partByPart(rat.Add),
			Controls: []register.Claim{
				{Says: "without μ₊(P_k)", Check: partByPart(func(_, rest *big.Rat) *big.Rat { return rest })},
				{Says: "without (δ_t − δ) Pr(M_1(x⁰) ∈ P_k)", Check: partByPart(func(mu, _ *big.Rat) *big.Rat { return mu })},
				{Says: "with 3/4 of (δ_t − δ) Pr(M_1(x⁰) ∈ P_k)", Check: partByPart(func(mu, rest *big.Rat) *big.Rat {
					return rat.Add(mu, rat.Mul(big.NewRat(3, 4), rest))
				})},
			},
		},
		{
			ID:      "ODP-E9",
			Title:   "μ₊(S) ≤ δ for all sets S of outputs",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Check:   muWithin(func(s step) *big.Rat { return s.first.Delta }),
			Controls: []register.Claim{
				{Says: "μ₊(S) is at most the largest δ of one part", Check: muWithin(func(s step) *big.Rat {
					most := new(big.Rat)
					for k := range s.first.ExpE {
						most = rat.Max(most, partDelta(&s.first, k))
					}
					return most
				})},
			},
		},
	}
}

// step is the first mechanism of two, and the budget of both.
type step struct {
	first           impl.Choice
	expEpsT, deltaT *big.Rat
}

func (s step) String() string {
	return fmt.Sprintf("e^ε_t = %s, δ_t = %s: %s", rat.Show(s.expEpsT), rat.Show(s.deltaT), finite.Describe(&s.first))
}

// rest returns δ_t − δ.
func (s step) rest() *big.Rat { return rat.Sub(s.deltaT, s.first.Delta) }

// mu returns μ of the output z.
func (s step) mu(z int) *big.Rat {
	c := s.first
	return rat.Sub(c.Laws[0][z], rat.Mul(c.ExpE[c.Part[z]], c.Laws[1][z]))
}

func atMostOne(x *big.Rat) *big.Rat { return rat.Min(x, rat.One) }

// firstSteps yields first mechanisms and budgets, small ones first.
func firstSteps(t *register.T) iter.Seq[step] {
	return func(yield func(step) bool) {
		for c := range finite.Choices(3, t.Size(3, 4), expEs) {
			for _, c := range finite.BothWays(c) {
				for _, factor := range []int64{1, 2} {
					for _, more := range []int64{0, 1} {
						expEpsT := rat.Mul(big.NewRat(factor, 1), rat.Max(c.ExpE...))
						if !yield(step{c, expEpsT, rat.Add(c.Delta, big.NewRat(more, int64(t.Size(3, 4))))}) {
							return
						}
					}
				}
			}
		}
	}
}

func firstStepsDomain(t *register.T) string {
	return fmt.Sprintf("every M_1 with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}, with its smallest δ; "+
		"ε_t = sup ℰ or sup ℰ + ln 2, δ_t = δ or δ + 1/%d", t.Size(3, 4), t.Size(3, 4))
}

// onParts checks (6), with e^ℰ(P_k) = expE and μ₊({v}) = plus(μ({v})).
func onParts(expE func(s step, k int) *big.Rat, plus func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("%s; all S inside a part", firstStepsDomain(t))
		for s := range firstSteps(t) {
			t.Case()
			c := s.first
			for set := 1; set < 1<<len(c.Part); set++ {
				left, right, k, inside := new(big.Rat), new(big.Rat), -1, true
				for z, part := range c.Part {
					if set>>z&1 == 1 {
						inside = inside && (k < 0 || k == part)
						k = part
						left = rat.Add(left, c.Laws[0][z])
						right = rat.Add(right, rat.Add(rat.Mul(expE(s, part), c.Laws[1][z]), plus(s.mu(z))))
					}
				}
				if inside && left.Cmp(right) > 0 {
					t.Refute("%v: S number %b has probability %s, more than %s", s, set, rat.Show(left), rat.Show(right))
				}
			}
		}
	}
}

// muWithin checks that μ₊(S) is within the bound; the largest S is all outputs.
func muWithin(bound func(step) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("%s; S all outputs, which is the largest", firstStepsDomain(t))
		for s := range firstSteps(t) {
			t.Case()
			sum := new(big.Rat)
			for z := range s.first.Part {
				sum = rat.Add(sum, rat.Positive(s.mu(z)))
			}
			if most := bound(s); sum.Cmp(most) > 0 {
				t.Refute("%s: μ₊ of all outputs is %s, more than %s", finite.Describe(&s.first), rat.Show(sum), rat.Show(most))
			}
		}
	}
}

// capped checks the chain (7), with the last bound as given.
func capped(last func(eq, d *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		n := int64(t.Size(8, 24))
		t.Domain("p, q, d in [0, 1] in steps of 1/%d and e in [1, 4] in steps of 1/2", n)
		for p := range n + 1 {
			for q := range n + 1 {
				for d := range n + 1 {
					for e := int64(2); e <= 8; e++ {
						checkChain(t, big.NewRat(p, n), big.NewRat(q, n), big.NewRat(d, n), big.NewRat(e, 2), last)
					}
				}
			}
		}
	}
}

func checkChain(t *register.T, p, q, d, e *big.Rat, last func(eq, d *big.Rat) *big.Rat) {
	eq := rat.Mul(e, q)
	if p.Cmp(rat.Add(eq, d)) > 0 {
		return
	}
	t.Case()
	chain := []*big.Rat{p, atMostOne(p), atMostOne(rat.Add(eq, d)), last(eq, d)}
	if chain[0].Cmp(chain[1]) != 0 || chain[1].Cmp(chain[2]) > 0 || chain[2].Cmp(chain[3]) > 0 {
		t.Refute("p = %s, q = %s, e = %s, d = %s: the chain is %s", rat.Show(p), rat.Show(q), rat.Show(e), rat.Show(d), rat.Show(chain...))
	}
}

// asPrinted is the budget that Lemma 20 leaves for the second step after P_k.
func asPrinted(s step, k int) (expEps, delta *big.Rat) {
	return rat.Quo(s.expEpsT, s.first.ExpE[k]), s.rest()
}

// twoSteps checks that the first step, followed by the worst second ones with the budget
// left(s, k), is (ε_t, δ)-DP with the δ in total.
func twoSteps(left func(s step, k int) (expEps, delta *big.Rat), total func(s step) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("%s; %s", firstStepsDomain(t), secondsDomain(t))
		seconds := newSeconds(t.Size(3, 4))
		for s := range firstSteps(t) {
			t.Case()
			laws, then := s.joint(seconds, left)
			if delta := register.Must(spec.SmallestDPDelta(laws[0], laws[1], s.expEpsT)); delta.Cmp(total(s)) > 0 {
				t.Refute("%v, followed by %s: needs δ = %s, more than %s", s, then, rat.Show(delta), rat.Show(total(s)))
			}
		}
	}
}

// partByPart checks (8), with the last two terms put together by sum.
func partByPart(sum func(mu, rest *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("%s; %s", firstStepsDomain(t), secondsDomain(t))
		seconds := newSeconds(t.Size(3, 4))
		for s := range firstSteps(t) {
			t.Case()
			laws, then := s.joint(seconds, asPrinted)
			for k := range s.first.ExpE {
				mu, pr := new(big.Rat), new(big.Rat)
				for z, part := range s.first.Part {
					if part == k {
						mu, pr = rat.Add(mu, rat.Positive(s.mu(z))), rat.Add(pr, s.first.Laws[0][z])
					}
				}
				inPart := func(view string) bool { return s.first.Part[view[0]-'a'] == k }
				bound := sum(mu, rat.Mul(s.rest(), pr))
				if excess := register.Must(spec.SmallestSubsetDelta(laws[0], laws[1], inPart, s.expEpsT)); excess.Cmp(bound) > 0 {
					t.Refute("%v, followed by %s: in part %d the excess is %s, more than %s", s, then, k+1, rat.Show(excess), rat.Show(bound))
				}
			}
		}
	}
}

// joint returns the laws of the outputs of both steps, and says what the second ones are.
// The excess of a set of views is a sum over v, so the worst second step can be found for
// each v by itself.
func (s step) joint(seconds *seconds, left func(s step, k int) (expEps, delta *big.Rat)) (laws finite.Pair, then string) {
	laws = finite.Pair{{}, {}}
	for z, output := range s.first.Outputs {
		worst, most := finite.Pair{}, big.NewRat(-1, 1)
		a, b := s.first.Laws[0][z], rat.Mul(s.expEpsT, s.first.Laws[1][z])
		for _, second := range seconds.within(left(s, s.first.Part[z])) {
			excess := new(big.Rat)
			for w := range second[0] {
				excess = rat.Add(excess, rat.Positive(rat.Sub(rat.Mul(a, second[0][w]), rat.Mul(b, second[1][w]))))
			}
			if excess.Cmp(most) > 0 {
				worst, most = second, excess
			}
		}
		for i := range laws {
			for w, pr := range worst[i] {
				laws[i][output+w] = rat.Mul(s.first.Laws[i][z], pr)
			}
		}
		then += fmt.Sprintf("after %s (%v) ", output, worst)
	}
	return laws, then
}

func secondsDomain(t *register.T) string {
	return fmt.Sprintf("after each v all second steps with 2 outputs and probabilities in 1/%d, and the one "+
		"of which all others with that budget are functions", t.Size(3, 4))
}

// seconds are the pairs of laws of the second step, by the guarantee they are to have.
type seconds struct {
	all []finite.Pair
	by  map[string][]finite.Pair
}

func newSeconds(d int) *seconds {
	s := &seconds{by: map[string][]finite.Pair{}}
	for p := range finite.Pairs(2, d) {
		if len(p[0]) == 2 {
			s.all = append(s.all, p)
		}
	}
	return s
}

// within returns those with Pr_0(𝒱) ≤ e^ε Pr_1(𝒱) + δ for all 𝒱, and the one of
// which all pairs with that are functions.
func (s *seconds) within(expEps, delta *big.Rat) []finite.Pair {
	key := rat.Show(expEps, delta)
	if s.by[key] == nil {
		for _, p := range s.all {
			if register.Must(spec.SmallestDPDelta(p[0], p[1], expEps)).Cmp(delta) <= 0 {
				s.by[key] = append(s.by[key], p)
			}
		}
		s.by[key] = append(s.by[key], extreme(expEps, atMostOne(delta)))
	}
	return s.by[key]
}

// extreme returns the pair whose output a has probability δ and 0, and b has 1 − δ and
// (1 − δ)/e^ε; c has the rest. Other pairs with Pr_0(𝒱) ≤ e^ε Pr_1(𝒱) + δ are functions of it.
func extreme(expEps, delta *big.Rat) finite.Pair {
	b := rat.Quo(rat.Complement(delta), expEps)
	return finite.Pair{
		{"a": delta, "b": rat.Complement(delta), "c": new(big.Rat)},
		{"a": new(big.Rat), "b": b, "c": rat.Complement(b)},
	}
}
