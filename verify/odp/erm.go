package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify"
)

var erm = slices.Concat(minimizer, errorBounds, releaseTests)

// minimizer are the statements on p_min and on output perturbation.
var minimizer = []verify.Statement{
	{
		ID:      "ODP-X26",
		Title:   "With a release test, an output costs the larger of the charges of M and of the test, and ⊥ what the test bit of M's output costs",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note:    "The charges are with respect to one record of x^train or one of x^test. ⊥ reveals something about x^train too, through M; ℰ({⊥}) < ℰ(Range(M)) is a goal, not a claim.",
		In:      []string{"spec.SmallestDelta"},
		Check:   withReleaseTest(func(c testCharges) (*big.Rat, *big.Rat) { return largest([]*big.Rat{c.m, c.test}), c.bit }),
		Controls: []verify.Claim{
			{Says: "an output costs what M costs", Check: withReleaseTest(func(c testCharges) (*big.Rat, *big.Rat) { return c.m, c.bit })},
			{Says: "⊥ costs what the test costs on a known output", Check: withReleaseTest(func(c testCharges) (*big.Rat, *big.Rat) {
				return largest([]*big.Rat{c.m, c.test}), c.test
			})},
		},
	},
	{
		ID:      "ODP-E5",
		Title:   "p_min(x^train) = arg min_p (1/n) Σ l(y·p^T x) + Λ·N(p)",
		Kind:    verify.Definition,
		Verdict: verify.NotCheckable,
		Note:    "A definition. For Λ > 0 the objective is Λ-strongly convex, so that there is one p_min; every minimizer here is certified through ‖p − p_min‖ ≤ ‖gradient‖/Λ.",
		In:      []string{"spec.Objective", "spec.Minimizer", "impl.Minimizer", "impl.MinimizerOnLine"},
	},
	{
		ID:      "ODP-A4",
		Title:   "Output perturbation is ε-DP: |ln| of the ratio of the densities of p̃_min is at most ε",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		Note:    "The densities are those of real numbers; a release as float64 is another mechanism. The loss is largest at p̃ = p_min and is (nΛε/2)·‖p_min − p′_min‖.",
		In:      []string{"spec.ERMOutputPert", "impl.ERMOutputPert", "impl.PerturbationLoss"},
		Check:   perturbation(rational("1")),
		Controls: []verify.Claim{
			{Says: "it is, with density proportional to exp(−nΛε‖q‖), half the noise", Check: perturbation(rational("2"))},
			{Says: "it is, with two thirds of the noise", Check: perturbation(rational("3/2"))},
		},
	},
	{
		ID:      "ODP-T16",
		Title:   "The L_2-sensitivity of p_min is at most 2/(n^train·Λ)",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		Note: "Tight: l(z) = −z attains it. For the logistic loss |l'| < 1, and nothing attains it; in two dimensions it is approached as Λ → 0 with nΛ fixed " +
			"(all other records at (1, 0), one moves from (−cos θ, sin θ) to (−cos θ, −sin θ)), and 2σ(R)/(nΛ) is a sharper bound, see impl.LogisticErrorSensitivity.",
		In:    []string{"spec.ERMSensitivity", "impl.ERMSensitivity", "impl.Minimizer", "impl.MinimizerOnLine"},
		Check: minimizerMoves(rational("2"), true),
		Controls: []verify.Claim{
			{Says: "it is at most 1.99/(nΛ)", Check: minimizerMoves(rational("1.99"), true)},
			{Says: "it is at most 1/(nΛ) for the logistic loss", Check: minimizerMoves(rational("1"), false)},
			{Says: "it is at most 1/(2nΛ) for the logistic loss", Check: minimizerMoves(rational("1/2"), false)},
		},
	},
}

// testCharges are e^ε of M with respect to x^train, of the test with respect to x^test given
// M's output, and of the bit {released, ⊥} with respect to either.
type testCharges struct{ m, test, bit *big.Rat }

// withReleaseTest checks that M̃ is ODP with e^ℰ(Range(M)) and e^ℰ({⊥}) as claimed.
func withReleaseTest(claim func(testCharges) (released, refused *big.Rat)) verify.Check {
	return func(t *verify.T) {
		d := int64(t.Size(4, 5))
		t.Domain("M with two outputs on two neighbouring x^train, a test on two neighbouring x^test, all probabilities in {1/%d, …, %d/%d}", d, d-1, d)
		for code := range pow(int(d-1), 6) {
			t.Case()
			var pr [6]*big.Rat // Pr(M(x_i) = a), i = 0, 1; Pr(release a | x_j), Pr(release b | x_j)
			for k := range pr {
				pr[k] = big.NewRat(1+int64(code/pow(int(d-1), k))%(d-1), d)
			}
			released, refused := claim(chargesOf(pr))
			part := func(output string) int { return strings.Index("ab⊥", output) / 2 } // a, b: 0; ⊥: 1
			for _, x := range [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}} {                // one of i and j differs
				law0, law1 := testedLaw(pr, x[0]), testedLaw(pr, x[1])
				delta := must(spec.SmallestDeltaBothWays(law0, law1, part, []*big.Rat{released, refused}))
				if delta.Sign() > 0 {
					t.Refute("Pr(M = a) = %s; Pr(release a) = %s, Pr(release b) = %s: (%s) and (%s) with e^ℰ = %s, %s need δ = %s",
						show(pr[:2]...), show(pr[2:4]...), show(pr[4:]...), showLaw(law0), showLaw(law1), show(released), show(refused), show(delta))
				}
			}
		}
	}
}

// testedLaw returns the law of M̃ for the database number 2i + j: x^train_i and x^test_j.
func testedLaw(pr [6]*big.Rat, database int) law {
	i, j := database/2, database%2
	l := law{"a": mul(pr[i], pr[2+j]), "b": mul(complement(pr[i]), pr[4+j])}
	l["⊥"] = complement(new(big.Rat).Add(l["a"], l["b"]))
	return l
}

func chargesOf(pr [6]*big.Rat) testCharges {
	c := testCharges{
		m:    oddsRatio(pr[0], pr[1]),
		test: largest([]*big.Rat{oddsRatio(pr[2], pr[3]), oddsRatio(pr[4], pr[5])}),
		bit:  one,
	}
	for _, x := range [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}} {
		c.bit = largest([]*big.Rat{c.bit, oddsRatio(testedLaw(pr, x[0])["⊥"], testedLaw(pr, x[1])["⊥"])})
	}
	return c
}

// oddsRatio returns e^ε of a bit that is 1 with probability x or y.
func oddsRatio(x, y *big.Rat) *big.Rat {
	return largest([]*big.Rat{quo(x, y), quo(y, x), quo(complement(x), complement(y)), quo(complement(y), complement(x))})
}

// records returns records with one covariate x = v and the label 1: for the logistic loss
// only v = y·x matters.
func records(v ...float64) []impl.Record {
	var all []impl.Record
	for _, x := range v {
		all = append(all, impl.Record{X: []float64{x}, Y: 1})
	}
	return all
}

// repeated returns v, n times.
func repeated(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// margins are the values of v = y·x of the record that changes and of the others.
var margins = []float64{0, 1, -1, 0.5, -0.5}

// others returns the databases of up to n − 1 records that stay, up to their order.
func others(n int) [][]float64 {
	all := [][]float64{nil}
	for i := 0; i < len(all); i++ {
		for _, v := range margins {
			if last := len(all[i]) - 1; len(all[i]) < n-1 && (last < 0 || slices.Index(margins, v) >= slices.Index(margins, all[i][last])) {
				all = append(all, append(slices.Clip(all[i]), v))
			}
		}
	}
	return all
}

// between returns the bounds of |x − y|.
func between(x, y impl.Interval) (lower, upper *big.Rat) {
	up := new(big.Rat).Sub(exactRat(x.Upper), exactRat(y.Lower))
	down := new(big.Rat).Sub(exactRat(y.Upper), exactRat(x.Lower))
	return largest([]*big.Rat{new(big.Rat), new(big.Rat).Neg(up), new(big.Rat).Neg(down)}), largest([]*big.Rat{up, down})
}

// atMost ends the check if a number in [lower, upper] is not at most bound.
func atMost(t *verify.T, lower, upper, bound *big.Rat, format string, args ...any) {
	if upper.Cmp(bound) <= 0 {
		return
	}
	text := fmt.Sprintf(format, args...)
	if lower.Cmp(bound) > 0 {
		t.Refute("%s: at least %.9g, claimed at most %.9g", text, float(lower), float(bound))
	}
	t.Undecided("%s: between %.12g and %.12g, claimed at most %.12g", text, float(lower), float(upper), float(bound))
}

// move is a pair of neighbouring x^train, and how far their p_min are apart.
type move struct {
	text         string
	n            int
	lambda       *big.Rat
	lower, upper *big.Rat // of ‖p_min − p'_min‖
	train        [2][]impl.Record
}

// movesDomain says what moves yields.
func movesDomain(t *verify.T) string {
	return fmt.Sprintf("the logistic loss; d = 1: all x^train of up to %d records with y·x in {0, ±1, ±1/2}, Λ in {1/10, 1, 10}; d = 2: %d random ones of up to 4 records, and %d records near the worst case",
		t.Size(3, 4), t.Size(200, 5000), t.Size(2000, 20000))
}

// moves yields pairs of neighbouring x^train in one dimension and then in two.
func moves(t *verify.T) iter.Seq[move] {
	t.Domain("%s", movesDomain(t))
	return func(yield func(move) bool) {
		for _, rest := range others(t.Size(3, 4)) {
			for _, lambda := range rationals("1", "1/10", "10") {
				for i, v := range margins {
					for _, w := range margins[:i] {
						if !yield(lineMove(t, rest, v, w, lambda)) {
							return
						}
					}
				}
			}
		}
		d := verify.Seeded(16)
		for range t.Size(200, 5000) {
			if !yield(randomMove(t, d)) {
				return
			}
		}
		yield(worstMove(t, t.Size(2000, 20000)))
	}
}

func lineMove(t *verify.T, rest []float64, v, w float64, lambda *big.Rat) move {
	m := move{n: len(rest) + 1, lambda: lambda}
	var p [2]impl.Interval
	for i, x := range []float64{v, w} {
		m.train[i] = records(append(slices.Clip(rest), x)...)
		min, err := impl.MinimizerOnLine(m.train[i], lambda)
		t.Must(err)
		p[i] = min
	}
	m.lower, m.upper = between(p[0], p[1])
	m.text = fmt.Sprintf("Λ = %s, y·x = %v and then %v or %v", show(lambda), rest, v, w)
	return m
}

// directions are on the unit circle or in it.
var directions = [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {0.6, 0.8}, {-0.6, 0.8}, {0.6, -0.8}, {-0.8, -0.6}, {0.28, 0.96}, {0, 0}, {0.5, 0}}

func randomMove(t *verify.T, d verify.Dice) move {
	m := move{n: 1 + d.Roll(4), lambda: rationals("1", "1/8", "1/64", "8")[d.Roll(4)]}
	var rest []impl.Record
	for range m.n - 1 {
		rest = append(rest, impl.Record{X: directions[d.Roll(len(directions))], Y: 1})
	}
	v, w := directions[d.Roll(len(directions))], directions[d.Roll(len(directions))]
	return planeMove(t, rest, v, w, m.lambda, fmt.Sprintf("%v", rest))
}

// worstMove is near the worst case: p_min is far out on the first axis, where the record
// that moves is predicted wrongly and |l'| is near 1; across, only Λ resists.
func worstMove(t *verify.T, n int) move {
	rest := slices.Repeat([]impl.Record{{X: []float64{1, 0}, Y: 1}}, n-1)
	return planeMove(t, rest, []float64{-0.5, 0.866}, []float64{-0.5, -0.866}, big.NewRat(5, int64(n)), fmt.Sprintf("%d at (1, 0)", n-1))
}

func planeMove(t *verify.T, rest []impl.Record, v, w []float64, lambda *big.Rat, text string) move {
	m := move{n: len(rest) + 1, lambda: lambda, text: fmt.Sprintf("Λ = %s, y·x = %s and then %v or %v", show(lambda), text, v, w)}
	var p [2][]float64
	off := new(big.Rat)
	for i, x := range [][]float64{v, w} {
		m.train[i] = append(slices.Clip(rest), impl.Record{X: x, Y: 1})
		min, distance, err := impl.Minimizer(m.train[i], float(lambda))
		t.Must(err)
		p[i] = min
		off.Add(off, new(big.Rat).SetFloat64(distance))
	}
	sum := new(big.Rat)
	for i := range p[0] {
		difference := new(big.Rat).Sub(new(big.Rat).SetFloat64(p[0][i]), new(big.Rat).SetFloat64(p[1][i]))
		sum.Add(sum, mul(difference, difference))
	}
	root := func(mode big.RoundingMode) *big.Rat {
		return exactRat(new(big.Float).SetPrec(100).SetMode(mode).Sqrt(new(big.Float).SetPrec(100).SetMode(mode).SetRat(sum)))
	}
	slack := new(big.Rat).SetFrac64(1, 1<<60)
	m.lower = largest([]*big.Rat{new(big.Rat), new(big.Rat).Sub(root(big.ToZero), new(big.Rat).Add(off, slack))})
	m.upper = new(big.Rat).Add(root(big.AwayFromZero), new(big.Rat).Add(off, slack))
	return m
}

// minimizerMoves checks that neighbouring p_min are at most c/(nΛ) apart, for the logistic
// loss and, if linear, for l(z) = −z, where p_min is the mean of y·x divided by Λ.
func minimizerMoves(c *big.Rat, linear bool) verify.Check {
	return func(t *verify.T) {
		most, where := 0.0, ""
		for m := range moves(t) {
			t.Case()
			weight := mul(big.NewRat(int64(m.n), 1), m.lambda)
			atMost(t, m.lower, m.upper, quo(c, weight), "%s: ‖p_min − p'_min‖", m.text)
			if part := float(mul(m.lower, weight)); part > most {
				most, where = part, m.text
			}
			if x, y := m.train[0][m.n-1].X, m.train[1][m.n-1].X; linear && len(x) == 1 {
				moved := new(big.Rat).SetFloat64(max(x[0]-y[0], y[0]-x[0]))
				moved.Quo(moved, weight)
				atMost(t, moved, moved, quo(c, weight), "l(z) = −z, %s: |p_min − p'_min|", m.text)
			}
		}
		t.Domain("%s; the largest ‖p_min − p'_min‖ for the logistic loss is %.4g/(nΛ): %s", movesDomain(t), most, where)
	}
}

// perturbation checks that the privacy loss of Algorithm 4 with its rate multiplied is at
// most ε, for one covariate at outputs on a grid, and in two dimensions at p_min.
func perturbation(rate *big.Rat) verify.Check {
	return func(t *verify.T) {
		for m := range moves(t) {
			for _, eps := range rationals("1/2", "3") {
				t.Case()
				noise := mul(rate, eps)
				half := mul(mul(big.NewRat(int64(m.n), 2), m.lambda), noise)
				atMost(t, mul(half, m.lower), mul(half, m.upper), eps, "%s, ε = %s: loss at p_min", m.text, show(eps))
				if len(m.train[0][0].X) > 1 {
					continue
				}
				x, y := impl.ReleaseTest{Train: m.train[0]}, impl.ReleaseTest{Train: m.train[1]}
				x.Eps1, x.Lambda, y.Eps1, y.Lambda = noise, m.lambda, noise, m.lambda
				for _, p := range []float64{0, 0.25, -3} {
					loss, err := impl.PerturbationLoss(x, y, p)
					t.Must(err)
					atMost(t, exactRat(loss.Lower), exactRat(loss.Upper), eps, "%s, ε = %s: loss at %g", m.text, show(eps), p)
				}
			}
		}
	}
}
