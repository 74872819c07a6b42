package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func erm() []register.Statement { return slices.Concat(minimizer(), errorBounds(), releaseTests()) }

// minimizer are the statements on p_min and on output perturbation.
func minimizer() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-X26",
			Title:   "With a release test, an output costs the larger of the charges of M and of the test, and ⊥ what M_test(M(x^train), x^test) guarantees",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Neighbours differ in one record of x^train or one of x^test. The charges are derived from what M and the test guarantee by themselves: M is ε_M-DP; the test, given an output of M, is ε_test-DP, " +
				"and its probability of ⊥ changes by a factor of at most e^τ from one output of M to another. Then ⊥ costs max(ε_test, min(ε_M, τ)): it reveals something about x^train too, through M. " +
				"ℰ({⊥}) < ℰ(Range(M)) is a goal, not a claim.",
			In:    []string{"spec.SmallestDelta"},
			Check: withReleaseTest(parallel),
			Controls: []register.Claim{
				{Says: "an output costs what M costs", Check: withReleaseTest(func(g guarantees) (*big.Rat, *big.Rat) { return g.m, g.refusal() })},
				{Says: "an output costs what the test costs", Check: withReleaseTest(func(g guarantees) (*big.Rat, *big.Rat) { return g.test, g.refusal() })},
				{Says: "⊥ costs what the test costs on a known output", Check: withReleaseTest(func(g guarantees) (*big.Rat, *big.Rat) { return g.output(), g.test })},
				{Says: "⊥ costs min(ε_M, τ)", Check: withReleaseTest(func(g guarantees) (*big.Rat, *big.Rat) {
					return g.output(), rat.Min(g.m, g.across)
				})},
			},
		},
		{
			ID:      "ODP-E5",
			Title:   "p_min(x^train) = arg min_p (1/n) Σ l(y·p^T x) + Λ·N(p)",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A definition. For Λ > 0 the objective is Λ-strongly convex, so that there is one p_min; every minimizer here is certified through ‖p − p_min‖ ≤ ‖gradient‖/Λ.",
			In:      []string{"spec.Objective", "spec.Minimizer", "impl.Minimizer", "impl.MinimizerOnLine"},
		},
		{
			ID:      "ODP-A4",
			Title:   "Output perturbation is ε-DP: |ln| of the ratio of the densities of p̃_min is at most ε",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note: "Line 1 says that the *element-wise* density of q is proportional to exp(−γ‖q‖_2), γ = nΛε/2. It is read as the joint density of the vector, the only one that ‖q‖_2 is a function of. " +
				"With every coordinate drawn by itself, with density proportional to exp(−γ|q_j|), it is not ε-DP for d ≥ 2: the loss is (nΛε/2)·‖p_min − p'_min‖_1, up to √d·ε: 41/29·ε if a record moves from (20/29, 21/29) to the opposite point. The last control is that reading. " +
				"The densities are those of real numbers; a release as float64 is another mechanism. By the triangle inequality the loss is largest at p̃ = p_min, where it is (nΛε/2)·‖p_min − p'_min‖_2.",
			In:    []string{"spec.ERMOutputPert", "impl.ERMOutputPert", "impl.PerturbationLoss"},
			Check: perturbation(rat.One, euclidean),
			Controls: []register.Claim{
				{Says: "it is, with density proportional to exp(−nΛε‖q‖), half the noise", Check: perturbation(rat.Of("2"), euclidean)},
				{Says: "it is, with two thirds of the noise", Check: perturbation(rat.Of("3/2"), euclidean)},
				{Says: "it is, with a fifth less noise", Check: perturbation(rat.Of("5/4"), euclidean)},
				{Says: "it is, with every coordinate drawn by itself, with density proportional to exp(−γ|q_j|)", Check: perturbation(rat.One, manhattan)},
			},
		},
		{
			ID:      "ODP-T16",
			Title:   "The L_2-sensitivity of p_min is at most 2/(n^train·Λ)",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note: "Checked for l(z) = −z and the logistic loss, both with N = (1/2)‖p‖² and d ≤ 2. Tight: l(z) = −z attains it. For the logistic loss |l'| < 1, and nothing attains it; in two dimensions it is approached as Λ → 0 with nΛ fixed " +
				"(all other records at (1, 0), one moves from (−cos θ, sin θ) to (−cos θ, −sin θ)), and 2σ(R)/(nΛ) is a sharper bound, see impl.LogisticErrorSensitivity.",
			In:    []string{"spec.ERMSensitivity", "impl.ERMSensitivity", "impl.Minimizer", "impl.MinimizerOnLine"},
			Check: minimizerMoves(rat.Of("2"), anyLoss),
			Controls: []register.Claim{
				{Says: "it is at most 1.99/(nΛ)", Check: minimizerMoves(rat.Of("1.99"), anyLoss)},
				{Says: "it is at most 1/(nΛ) for the logistic loss", Check: minimizerMoves(rat.Of("1"), logistic)},
				{Says: "it is at most 1/(2nΛ) for the logistic loss", Check: minimizerMoves(rat.Of("1/2"), logistic)},
			},
		},
	}
}

// guarantees are what M and the test guarantee by themselves: e^(ε_M) with respect to
// x^train, e^(ε_test) with respect to x^test given M's output, and e^τ, the most by which
// the probability of ⊥ differs between two outputs of M.
type guarantees struct{ m, test, across *big.Rat }

// output is what an output costs, by parallel composition.
func (g guarantees) output() *big.Rat { return rat.Max(g.m, g.test) }

// refusal is what ⊥ costs: ε_test for x^test; for x^train it costs at most ε_M, as does
// whatever is computed from M's output, and at most τ, being a mean over M's outputs.
func (g guarantees) refusal() *big.Rat {
	return rat.Max(g.test, rat.Min(g.m, g.across))
}

func parallel(g guarantees) (released, refused *big.Rat) { return g.output(), g.refusal() }

// withReleaseTest checks that M̃ is ODP with e^ℰ(Range(M)) and e^ℰ({⊥}) as claimed.
func withReleaseTest(claim func(guarantees) (released, refused *big.Rat)) register.Check {
	return func(t *register.T) {
		d := int64(t.Size(4, 5))
		t.Domain("M with two outputs on two neighbouring x^train, a test on two neighbouring x^test, all probabilities in {1/%d, …, %d/%d}, and what M and the test guarantee by themselves", d, d-1, d)
		var values []*big.Rat
		for i := int64(1); i < d; i++ {
			values = append(values, big.NewRat(i, d))
		}
		for pr := range finite.Tuples(values, 6) { // Pr(M(x_i) = a), i = 0, 1; Pr(release a | x_j), Pr(release b | x_j)
			t.Case()
			released, refused := claim(guaranteesOf(pr))
			part := func(output string) int { return strings.Index("ab⊥", output) / 2 } // a, b: 0; ⊥: 1
			for _, x := range [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}} {                // one of i and j differs
				law0, law1 := testedLaw(pr, x[0]), testedLaw(pr, x[1])
				delta := register.Must(spec.SmallestDeltaBothWays(law0, law1, part, []*big.Rat{released, refused}))
				if delta.Sign() > 0 {
					t.Refute("Pr(M = a) = %s; Pr(release a) = %s, Pr(release b) = %s: (%s) and (%s) with e^ℰ = %s, %s need δ = %s",
						rat.Show(pr[:2]...), rat.Show(pr[2:4]...), rat.Show(pr[4:]...), law0, law1, rat.Show(released), rat.Show(refused), rat.Show(delta))
				}
			}
		}
	}
}

// testedLaw returns the law of M̃ for the database number 2i + j: x^train_i and x^test_j.
func testedLaw(pr []*big.Rat, database int) finite.Law {
	i, j := database/2, database%2
	l := finite.Law{"a": rat.Mul(pr[i], pr[2+j]), "b": rat.Mul(rat.Complement(pr[i]), pr[4+j])}
	l["⊥"] = rat.Complement(rat.Add(l["a"], l["b"]))
	return l
}

// guaranteesOf looks at M alone and at the test alone.
func guaranteesOf(pr []*big.Rat) guarantees {
	g := guarantees{
		m:      oddsRatio(pr[0], pr[1]),
		test:   rat.Max(oddsRatio(pr[2], pr[3]), oddsRatio(pr[4], pr[5])),
		across: rat.One,
	}
	for j := range 2 {
		a, b := rat.Complement(pr[2+j]), rat.Complement(pr[4+j]) // Pr(⊥ | a, x_j), Pr(⊥ | b, x_j)
		g.across = rat.Max(g.across, rat.Quo(a, b), rat.Quo(b, a))
	}
	return g
}

// oddsRatio returns e^ε of a bit that is 1 with probability x or y.
func oddsRatio(x, y *big.Rat) *big.Rat {
	return rat.Max(rat.Quo(x, y), rat.Quo(y, x), rat.Quo(rat.Complement(x), rat.Complement(y)), rat.Quo(rat.Complement(y), rat.Complement(x)))
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
func between(x, y interval.Interval) (lower, upper *big.Rat) {
	up := rat.Sub(rat.Exact(x.Upper), rat.Exact(y.Lower))
	down := rat.Sub(rat.Exact(y.Upper), rat.Exact(x.Lower))
	return rat.Max(new(big.Rat), new(big.Rat).Neg(up), new(big.Rat).Neg(down)), rat.Max(up, down)
}

// atMost ends the check if a number in [lower, upper] is not at most bound.
func atMost(t *register.T, lower, upper, bound *big.Rat, format string, args ...any) {
	if upper.Cmp(bound) <= 0 {
		return
	}
	text := fmt.Sprintf(format, args...)
	if lower.Cmp(bound) > 0 {
		t.Refute("%s: at least %.9g, claimed at most %.9g", text, rat.Float64(lower), rat.Float64(bound))
	}
	t.Undecided("%s: between %.12g and %.12g, claimed at most %.12g", text, rat.Float64(lower), rat.Float64(upper), rat.Float64(bound))
}

// bounds contain a number.
type bounds struct{ lower, upper *big.Rat }

func exactly(x *big.Rat) bounds { return bounds{x, x} }

// times returns c·x for c ≥ 0.
func (x bounds) times(c *big.Rat) bounds { return bounds{rat.Mul(c, x.lower), rat.Mul(c, x.upper)} }

// move is a pair of neighbouring x^train, and how far their p_min are apart.
type move struct {
	text       string
	n          int
	lambda     *big.Rat
	l2, l1     bounds           // ‖p_min − p'_min‖ in both norms
	difference []*big.Rat       // p_min − p'_min, for l(z) = −z
	train      [2][]impl.Record // for the logistic loss
}

// weight is nΛ.
func (m move) weight() *big.Rat { return rat.Mul(rat.Int(m.n), m.lambda) }

func euclidean(m move) bounds { return m.l2 }
func manhattan(m move) bounds { return m.l1 }

func anyLoss(move) bool    { return true }
func logistic(m move) bool { return m.difference == nil }

// movesDomain says what moves yields.
func movesDomain(t *register.T) string {
	return fmt.Sprintf("N = (1/2)‖p‖²; l(z) = −z, d = 2: up to %d records, Λ in {1/10, 1, 10}, the one that changes at %d rational points of the unit disc (exact); "+
		"the logistic loss, d = 1: all x^train of up to %d records with y·x in {0, ±1, ±1/2}, Λ in {1/10, 1, 10}; d = 2: %d random ones of up to 4 records, and %d records near the worst case",
		t.Size(3, 5), len(disc), t.Size(3, 4), t.Size(200, 5000), t.Size(2000, 20000))
}

// moves yields pairs of neighbouring x^train: for l(z) = −z, and for the logistic loss in
// one dimension and then in two.
func moves(t *register.T) iter.Seq[move] {
	t.Domain("%s", movesDomain(t))
	return func(yield func(move) bool) {
		for _, all := range []iter.Seq[move]{linearMoves(t), lineMoves(t), planeMoves(t)} {
			for m := range all {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// disc are points of the unit disc.
var disc = [][]*big.Rat{
	rat.List("1", "0"), rat.List("-1", "0"), rat.List("0", "1"), rat.List("3/5", "4/5"), rat.List("-3/5", "-4/5"),
	rat.List("1/2", "0"), rat.List("0", "0"), rat.List("20/29", "21/29"), rat.List("-20/29", "-21/29"), rat.List("1/3", "-1/2"),
}

// linearMoves are those of l(z) = −z, where p_min is the mean of y·x divided by Λ: what
// the records that stay are does not matter.
func linearMoves(t *register.T) iter.Seq[move] {
	return func(yield func(move) bool) {
		for n := 1; n <= t.Size(3, 5); n++ {
			for _, lambda := range rat.List("1", "1/10", "10") {
				for i, v := range disc {
					for _, w := range disc[:i] {
						if !yield(linearMove(n, lambda, v, w)) {
							return
						}
					}
				}
			}
		}
	}
}

func linearMove(n int, lambda *big.Rat, v, w []*big.Rat) move {
	m := move{n: n, lambda: lambda}
	m.text = fmt.Sprintf("l(z) = −z, n = %d, Λ = %s, y·x = (%s) or (%s) of the record that changes", n, rat.Show(lambda), rat.Show(v...), rat.Show(w...))
	total := new(big.Rat)
	for i := range v {
		moved := rat.Quo(rat.Sub(v[i], w[i]), m.weight())
		m.difference = append(m.difference, moved)
		total.Add(total, new(big.Rat).Abs(moved))
	}
	m.l1, m.l2 = exactly(total), rootOf(inner(m.difference, m.difference))
	return m
}

// inner returns x^T y.
func inner(x, y []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for i := range x {
		total.Add(total, rat.Mul(x[i], y[i]))
	}
	return total
}

// rootOf returns √x, exactly if it is rational.
func rootOf(x *big.Rat) bounds {
	p, q := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
	if root := new(big.Rat).SetFrac(p, q); rat.Mul(root, root).Cmp(x) == 0 {
		return exactly(root)
	}
	root := func(mode big.RoundingMode) *big.Rat {
		return rat.Exact(new(big.Float).SetPrec(100).SetMode(mode).Sqrt(new(big.Float).SetPrec(100).SetMode(mode).SetRat(x)))
	}
	return bounds{root(big.ToZero), root(big.AwayFromZero)}.widen(new(big.Rat).SetFrac64(1, 1<<60))
}

// widen moves both ends outward; the number is at least 0.
func (x bounds) widen(by *big.Rat) bounds {
	return bounds{rat.Max(new(big.Rat), rat.Sub(x.lower, by)), rat.Add(x.upper, by)}
}

// lineMoves are those of the logistic loss in one dimension.
func lineMoves(t *register.T) iter.Seq[move] {
	return func(yield func(move) bool) {
		for _, rest := range others(t.Size(3, 4)) {
			for _, lambda := range rat.List("1", "1/10", "10") {
				for i, v := range margins {
					for _, w := range margins[:i] {
						if !yield(lineMove(t, rest, v, w, lambda)) {
							return
						}
					}
				}
			}
		}
	}
}

func lineMove(t *register.T, rest []float64, v, w float64, lambda *big.Rat) move {
	m := move{n: len(rest) + 1, lambda: lambda}
	var p [2]interval.Interval
	for i, x := range []float64{v, w} {
		m.train[i] = records(append(slices.Clip(rest), x)...)
		min, err := impl.MinimizerOnLine(m.train[i], lambda)
		t.Must(err)
		p[i] = min
	}
	lower, upper := between(p[0], p[1])
	m.l1, m.l2 = bounds{lower, upper}, bounds{lower, upper}
	m.text = logisticText(lambda, recordsText(records(rest...)), recordsText(records(v)), recordsText(records(w)))
	return m
}

// logisticText describes a move by the y·x of the records that stay and of the one that
// changes.
func logisticText(lambda *big.Rat, rest, v, w string) string {
	return fmt.Sprintf("logistic loss, Λ = %s, y·x = %s or %s of the record that changes, %s", rat.Show(lambda), v, w, otherRecords(rest))
}

func otherRecords(rest string) string {
	if rest == "" {
		return "no other record"
	}
	return "of the others " + rest
}

// planeMoves are some of the logistic loss in two dimensions.
func planeMoves(t *register.T) iter.Seq[move] {
	return func(yield func(move) bool) {
		d := register.Seeded(16)
		for range t.Size(200, 5000) {
			if !yield(randomMove(t, d)) {
				return
			}
		}
		yield(worstMove(t, t.Size(2000, 20000)))
	}
}

// directions are on the unit circle or in it.
var directions = [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {0.6, 0.8}, {-0.6, 0.8}, {0.6, -0.8}, {-0.8, -0.6}, {0.28, 0.96}, {0, 0}, {0.5, 0}}

func randomMove(t *register.T, d register.Dice) move {
	n, lambda := 1+d.Roll(4), rat.List("1", "1/8", "1/64", "8")[d.Roll(4)]
	var rest []impl.Record
	for range n - 1 {
		rest = append(rest, impl.Record{X: directions[d.Roll(len(directions))], Y: 1})
	}
	v, w := directions[d.Roll(len(directions))], directions[d.Roll(len(directions))]
	return planeMove(t, rest, v, w, lambda)
}

// worstMove is near the worst case: p_min is far out on the first axis, where the record
// that moves is predicted wrongly and |l'| is near 1; across, only Λ resists.
func worstMove(t *register.T, n int) move {
	rest := slices.Repeat([]impl.Record{{X: []float64{1, 0}, Y: 1}}, n-1)
	return planeMove(t, rest, []float64{-0.5, 0.866}, []float64{-0.5, -0.866}, big.NewRat(5, int64(n)))
}

func planeMove(t *register.T, rest []impl.Record, v, w []float64, lambda *big.Rat) move {
	m := move{n: len(rest) + 1, lambda: lambda}
	var p [2][]float64
	off, moved := new(big.Rat), [2]string{}
	for i, x := range [][]float64{v, w} {
		last := impl.Record{X: x, Y: 1}
		m.train[i], moved[i] = append(slices.Clip(rest), last), recordsText([]impl.Record{last})
		min, distance, err := impl.Minimizer(m.train[i], rat.Float64(lambda))
		t.Must(err)
		p[i] = min
		off.Add(off, new(big.Rat).SetFloat64(distance))
	}
	m.text = logisticText(lambda, recordsText(rest), moved[0], moved[1])
	var difference []*big.Rat
	total := new(big.Rat)
	for i := range p[0] {
		difference = append(difference, rat.Sub(new(big.Rat).SetFloat64(p[0][i]), new(big.Rat).SetFloat64(p[1][i])))
		total.Add(total, new(big.Rat).Abs(difference[i]))
	}
	m.l2 = rootOf(inner(difference, difference)).widen(off)
	m.l1 = exactly(total).widen(rat.Twice(off)) // ‖·‖_1 ≤ √2·‖·‖_2
	return m
}

// minimizerMoves checks that neighbouring p_min are at most c/(nΛ) apart, for some losses.
func minimizerMoves(c *big.Rat, applies func(move) bool) register.Check {
	return func(t *register.T) {
		most, where := 0.0, ""
		for m := range moves(t) {
			if !applies(m) {
				continue
			}
			t.Case()
			atMost(t, m.l2.lower, m.l2.upper, rat.Quo(c, m.weight()), "%s: ‖p_min − p'_min‖", m.text)
			if part := rat.Float64(rat.Mul(m.l2.lower, m.weight())); part > most && logistic(m) {
				most, where = part, m.text
			}
		}
		t.Domain("%s; the largest ‖p_min − p'_min‖ for the logistic loss is %.4g/(nΛ): %s", movesDomain(t), most, where)
	}
}

// perturbation checks that the privacy loss of Algorithm 4, with its rate multiplied and
// with noise of a density proportional to exp(−γ·length(q)), is at most ε: at p_min, where
// it is largest, and for the logistic loss in one dimension also at outputs on a grid.
func perturbation(rate *big.Rat, length func(move) bounds) register.Check {
	return func(t *register.T) {
		for m := range moves(t) {
			for _, eps := range rat.List("1/2", "3") {
				t.Case()
				noise := rat.Mul(rate, eps)
				loss := length(m).times(rat.Mul(rat.Mul(m.weight(), noise), rat.Half))
				atMost(t, loss.lower, loss.upper, eps, "%s, ε = %s: loss at p_min", m.text, rat.Show(eps))
				if logistic(m) && len(m.train[0][0].X) == 1 {
					lossOnLine(t, m, noise, eps)
				}
			}
		}
	}
}

// lossOnLine checks that the loss with noise for ε = noise is at most eps at some outputs.
func lossOnLine(t *register.T, m move, noise, eps *big.Rat) {
	var x [2]impl.ReleaseTest
	for i := range x {
		x[i] = impl.ReleaseTest{Train: m.train[i], Eps1: noise, Lambda: m.lambda}
	}
	for _, p := range []float64{0, 0.25, -3} {
		loss, err := impl.PerturbationLoss(x[0], x[1], p)
		t.Must(err)
		lower, upper := magnitudes(loss)
		atMost(t, lower, upper, eps, "%s, ε = %s: loss at %g", m.text, rat.Show(eps), p)
	}
}
