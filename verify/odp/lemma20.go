package odp

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/ledger"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lemma20 are Lemma 20 and the inequalities of its proof.
func lemma20() register.Checks {
	less := rat.Of("0.95")
	return register.Checks{
		"ODP-L20": checked(with(twoSteps, rat.One, rat.One, rat.One),
			near("it is (ε_t, δ_t − (δ_t − δ)/20)-DP", with(twoSteps, rat.One, rat.One, less)),
			near("the second one may have 21/20 of δ_t − δ", with(twoSteps, rat.One, "21/20", rat.One)),
			near("the second one may have ε_t − ℰ(P_k) + ln(21/20)", with(twoSteps, "21/20", rat.One, rat.One))),
		"ODP-E6": checked(with(onParts, rat.One, rat.One),
			near("with 0.95·μ₊", with(onParts, rat.One, less)),
			near("with 0.95·e^ℰ(P_k) Pr(M_1(x¹) ∈ S) where μ is not negative", with(onParts, less, rat.One))),
		"ODP-E7": checked(with(capped, func(eq, d *big.Rat) *big.Rat { return rat.Add(rat.Min(eq, rat.One), d) }),
			alsoFails("", "the last ∧ binds less than +: [e·q] ∧ (1 + d)",
				with(capped, func(eq, d *big.Rat) *big.Rat { return rat.Min(eq, rat.Add(rat.One, d)) })),
			near("the last bound with 0.95·d",
				with(capped, func(eq, d *big.Rat) *big.Rat { return rat.Add(rat.Min(eq, rat.One), rat.Mul(less, d)) })),
			near("the last bound with [e·q] ∧ 0.95",
				with(capped, func(eq, d *big.Rat) *big.Rat { return rat.Add(rat.Min(eq, less), d) }))),
		"ODP-E8": checked(with(partByPart, rat.One, rat.One),
			near("with 0.95·(δ_t − δ) Pr(M_1(x⁰) ∈ P_k)", with(partByPart, rat.One, less)),
			near("with 0.95·μ₊(P_k)", with(partByPart, less, rat.One))),
		"ODP-E9": checked(with(muWithin, rat.One), near("μ₊(S) ≤ 0.95·δ", with(muWithin, less))),
	}
}

// onParts checks (6), with shares of e^ℰ(P_k) and of μ₊({v}).
func onParts(t *register.T, ofE, ofMu *big.Rat) {
	forFirstSteps(t, "all S inside a part", func(s step) {
		c := s.first
		for set := 1; set < 1<<len(c.Part); set++ {
			left, right, parts := new(big.Rat), new(big.Rat), map[int]bool{}
			for z, part := range c.Part {
				if set>>z&1 == 1 {
					parts[part] = true
					left.Add(left, c.Laws[0][z])
					right = rat.Sum(right, rat.Product(ofE, c.ExpE[part], c.Laws[1][z]),
						rat.Mul(ofMu, rat.Positive(s.mu(z))))
				}
			}
			if len(parts) == 1 {
				s.atMost(t, left, right, "S number %b has probability", set)
			}
		}
	})
}

// muWithin checks that μ₊(S) is within a share of δ; the largest S is all outputs.
func muWithin(t *register.T, share *big.Rat) {
	forFirstSteps(t, "S all outputs, which is the largest", func(s step) {
		sum := new(big.Rat)
		for z := range s.first.Part {
			sum.Add(sum, rat.Positive(s.mu(z)))
		}
		s.atMost(t, sum, rat.Mul(share, s.first.Delta), "μ₊ of all outputs is")
		s.hasItsDelta(t)
	})
}

// capped checks the chain (7), with the last bound as given, for all sets of outputs of pairs of laws with the smallest
// d, by spec, and with more.
func capped(t *register.T, last func(eq, d *big.Rat) *big.Rat) {
	unit := t.Size(4, 6)
	t.Domain("all sets of outputs of all pairs of laws with up to 3 outputs and probabilities in 1/%d, "+
		"e in {1, 3/2, 3}, d the smallest or 1/10 more", unit)
	for laws := range finite.Pairs(3, unit) {
		for _, e := range finite.Charges {
			least, outputs := register.Must(spec.SmallestDPDelta(laws[0], laws[1], e)), laws[0].Outputs()
			same(t, laws.Delta(finite.Constant(e)), least, "%v, e = %v: d", laws, e)
			for _, d := range []*big.Rat{least, rat.Add(least, rat.Of("1/10"))} {
				for set := range 1 << len(outputs) {
					p, eq := new(big.Rat), new(big.Rat)
					for i, output := range outputs {
						if set>>i&1 == 1 {
							p, eq = rat.Add(p, laws[0][output]), rat.Add(eq, rat.Mul(e, laws[1][output]))
						}
					}
					t.At("p = %s, e·q = %s, e = %s, d = %s", p, eq, e, d)
					chain := []*big.Rat{p, rat.Min(rat.Add(eq, d), rat.One), last(eq, d)}
					t.Require(chain[0].Cmp(chain[1]) <= 0 && chain[1].Cmp(chain[2]) <= 0, "the chain is %s", chain)
					if d.Sign() > 0 && eq.Cmp(rat.One) > 0 {
						t.CloseTo(chain[1], chain[2], "")
					}
				}
			}
		}
	}
}

// twoSteps checks that the first step, followed by the worst second ones with shares of what is left of both budgets,
// is (ε_t, δ)-DP with δ of the first and a share of the rest.
func twoSteps(t *register.T, ofEps, ofDelta, ofRest *big.Rat) {
	seconds := newSeconds(t.Size(3, 4))
	forFirstSteps(t, secondsDomain(t), func(s step) {
		laws, then := s.joint(seconds, ofEps, ofDelta)
		delta := register.Must(spec.SmallestDPDelta(laws[0], laws[1], s.expEpsT))
		s.atMost(t, delta, rat.Add(s.first.Delta, rat.Mul(ofRest, s.rest())), "followed by %s: needs δ =", then)
		same(t, laws.Delta(finite.Constant(s.expEpsT)), delta, "%v, followed by %s: δ", s, then)
		s.hasItsDelta(t)
	})
}

// partByPart checks (8), with shares of the last two terms.
func partByPart(t *register.T, ofMu, ofRest *big.Rat) {
	seconds := newSeconds(t.Size(3, 4))
	forFirstSteps(t, secondsDomain(t), func(s step) {
		laws, then := s.joint(seconds, rat.One, rat.One)
		for k := range s.first.ExpE {
			bound, own := new(big.Rat), new(big.Rat)
			for z, part := range s.first.Part {
				if part == k {
					bound = rat.Sum(bound, rat.Mul(ofMu, rat.Positive(s.mu(z))),
						rat.Product(ofRest, s.rest(), s.first.Laws[0][z]))
				}
			}
			inPart := func(view string) bool { return s.first.Part[view[0]-'a'] == k }
			for view, pr := range laws[0] {
				if inPart(view) {
					own.Add(own, positivePart([2]*big.Rat{pr, laws[1][view]}, s.expEpsT))
				}
			}
			excess := register.Must(spec.SmallestSubsetDelta(laws[0], laws[1], inPart, s.expEpsT))
			s.atMost(t, excess, bound, "followed by %s: in part %d the excess is", then, k+1)
			same(t, own, excess, "%v, followed by %s: the excess in part %d", s, then, k+1)
		}
	})
}

// joint returns the laws of the outputs of both steps, and says what the second ones are.
// The excess of a set of views is a sum over v, so the worst second step can be found for
// each v by itself.
func (s step) joint(seconds seconds, ofEps, ofDelta *big.Rat) (laws finite.Pair, then string) {
	laws = finite.Pair{{}, {}}
	for z, output := range s.first.Outputs {
		worst, most := finite.Pair{}, big.NewRat(-1, 1)
		a, b := s.first.Laws[0][z], rat.Mul(s.expEpsT, s.first.Laws[1][z])
		left := rat.Mul(ofEps, rat.Quo(s.expEpsT, s.first.ExpE[s.first.Part[z]]))
		for _, second := range seconds(left, rat.Mul(ofDelta, s.rest())) {
			excess := new(big.Rat)
			for w := range second[0] {
				excess.Add(excess, rat.Positive(rat.Sub(rat.Mul(a, second[0][w]), rat.Mul(b, second[1][w]))))
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
	return fmt.Sprintf("after each v all second steps with 2 outputs and probabilities in 1/%d, "+
		"and the one of which all others with that budget are functions", t.Size(3, 4))
}

// seconds returns the pairs of laws of the second step with Pr_0(𝒱) ≤ e^ε Pr_1(𝒱) + δ for all 𝒱, and the one of which
// all pairs with that are functions: its output a has probability δ and 0, b has 1 − δ and (1 − δ)/e^ε; c has the rest.
type seconds func(expEps, delta *big.Rat) []finite.Pair

// newSeconds are those with probabilities in 1/d. They are found once for each guarantee.
func newSeconds(d int) seconds {
	var known finite.Memo[string, []finite.Pair]
	return func(expEps, delta *big.Rat) []finite.Pair {
		return known.Of(rat.Show(expEps, delta), func() (all []finite.Pair) {
			for p := range finite.Pairs(2, d) {
				if len(p[0]) == 2 && register.Must(spec.SmallestDPDelta(p[0], p[1], expEps)).Cmp(delta) <= 0 {
					all = append(all, p)
				}
			}
			leak := rat.Min(delta, rat.One)
			b := rat.Quo(rat.Complement(leak), expEps)
			return append(all, finite.Pair{{"a": leak, "b": rat.Complement(leak), "c": new(big.Rat)},
				{"a": new(big.Rat), "b": b, "c": rat.Complement(b)}})
		})
	}
}

// step is the first mechanism of two, and the budget of both.
type step struct {
	first           ledger.Choice
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

// hasItsDelta compares δ of M_1 by spec with sums of positive parts.
func (s step) hasItsDelta(t *register.T) {
	c := finite.ForSpec(&s.first)
	own := finite.PairOf(c.Laws).DeltaBothWays(func(output string) *big.Rat { return c.ExpE[c.Part(output)] })
	same(t, own, s.first.Delta, "%v: the δ of M_1", s)
}

// atMost refutes that what the format says is at most a bound, and tells how close it comes: if M_1 has two parts or
// more, and neither law an impossible output, where equality says something.
func (s step) atMost(t *register.T, x, bound *big.Rat, format string, args ...any) {
	if x.Cmp(bound) > 0 {
		t.Refute(format+" %s, more than %s", append(args, x, bound)...)
	}
	isZero := func(x *big.Rat) bool { return x.Sign() == 0 }
	if len(s.first.ExpE) > 1 && !slices.ContainsFunc(slices.Concat(s.first.Laws[0], s.first.Laws[1]), isZero) {
		t.CloseTo(x, bound, "")
	}
}

// forFirstSteps visits first mechanisms and budgets, small ones first: mechanisms with few outputs, and two like
// M_toy, of which one part says nothing, and the other is a randomized response.
func forFirstSteps(t *register.T, what string, visit func(s step)) {
	d := t.Size(3, 4)
	t.Domain("%s M_1 with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}, "+
		"with its smallest δ, and two like M_toy with probabilities in 1/6; ε_t = sup ℰ or sup ℰ + ln 2, "+
		"δ_t = δ or δ + 1/%d; %s", finite.Share(t.Size(8, 1)), d, d, what)
	withBudgets := func(c ledger.Choice) {
		for _, c := range finite.BothWays(c) {
			finite.Each2([]int{1, 2}, []int64{0, 1}, func(factor int, more int64) {
				s := step{c, rat.Mul(rat.Int(factor), rat.Max(c.ExpE...)), rat.Add(c.Delta, big.NewRat(more, int64(d)))}
				t.At("%v", s)
				visit(s)
			})
		}
	}
	for c := range finite.EveryNth(finite.Choices(3, d, expEs), t.Size(8, 1)) {
		withBudgets(c)
	}
	sixth, third, half := rat.Of("1/6"), rat.Of("1/3"), rat.Half
	withBudgets(finite.NewChoice(finite.Pair{{"a": half, "b": third, "c": sixth}, {"a": half, "b": sixth, "c": third}},
		finite.Partition{0, 1, 1}, rat.List("1", "2")))
	withBudgets(finite.NewChoice(finite.Pair{{"a": third, "b": sixth, "c": half}, {"a": sixth, "b": third, "c": half}},
		finite.Partition{0, 0, 1}, rat.List("2", "1")))
}
