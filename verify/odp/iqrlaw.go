package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// distancesAgree checks A_1 and A_2 by impl against those from the words, and by spec, which takes long, for some.
func distancesAgree(t *register.T) {
	t.AlsoDomain("A_1 and A_2 of them")
	two, zero := rat.List("-1", "1"), rat.List("0") // both must be 0 to leave a bin
	a := register.Must(spec.IQRDistance(two, zero, 1))
	_, is, err := spec.DiscretizedIQR(two, zero, 1, 1, 0.9, &finite.Tape{Draws: []float64{0}})
	t.Require(a == 2 && is && err == nil, "with one value A_1 is %d; %v", a, err)
	seen := map[*iqrDatabase]bool{}
	for _, p := range iqrPairs(t) {
		s := p[0]
		if seen[s] || len(s.records) > 8 {
			continue
		}
		seen[s] = true
		for j := 1; j <= 2; j++ {
			t.Case()
			want := iqrWords{}.distance(rat.Floats(s.records), j)
			bySpec := want // takes long
			if len(s.records) <= 4 || len(seen)%8 == 0 {
				bySpec = register.Must(spec.IQRDistance(s.records, allValues(s.records), j))
			}
			iqr, range2 := register.Must(impl.SampleIQR(s.records)), register.Must(spec.SampleIQR(s.records))
			isRange := rat.Float64(iqr) == percentileRange(rat.Floats(s.records)) && rat.Equal(iqr, range2)
			t.Require(s.a[j-1] == want && bySpec == want && isRange,
				"records %s: A_%d = %d by impl, %d by spec, must be %d; range %s by impl, %s by spec",
				s.records, j, s.a[j-1], bySpec, want, iqr, range2)
		}
	}
}

// lawsOfMIQR checks the law of M_IQR: ⊥ if both M^D_1 and M^D_2 say so, whose noise has the law Lap(1/ε), and otherwise
// the range with the noise that a value has; and ⊥ of M^D_j for larger distances than theirs. A factor of Pr(M^D_2(x) =
// ⊥) is for a control.
func lawsOfMIQR(t *register.T, factor *big.Rat) {
	t.AlsoDomain("the law of M_IQR on every fifth of them, Pr(M^D_j = ⊥) for A_j = 1, …, 12")
	for a := 1; a <= 12; a++ {
		for _, terms := range iqrTerms {
			t.Case()
			bottomOf(t, a, terms)
		}
	}
	for i, p := range iqrPairs(t) {
		if i%5 != 0 {
			continue
		}
		for _, terms := range iqrTerms {
			t.Case()
			first, second := bottomOf(t, p[0].a[0], terms), rat.Mul(factor, bottomOf(t, p[0].a[1], terms))
			law := register.Must(impl.LawOfPrivateIQR(p[0].records, loss.Exp(terms[0]), terms[1]))
			if silent := rat.Mul(first, second); !law.Bottom.Contains(silent) ||
				!law.Answer.Contains(rat.Complement(silent)) {
				t.Refute("%v: M_IQR returns ⊥ with probability %.12g and a value with %.12g, claimed is ⊥ with %s",
					iqrCase{p, terms}, law.Bottom.Lower, law.Answer.Lower, silent.FloatString(12))
			}
			valueHasNoise(t, law, math.Log(rat.Float64(terms[0])))
		}
	}
}

// bottomOf returns Pr(M^D_j(x) = ⊥) = Pr(a + Lap(1/ε) ≤ 1 + ln(1/δ)/ε), where a = A_j(x), by spec, if impl and the law
// of the noise say the same.
func bottomOf(t *register.T, a int, terms [2]*big.Rat) *big.Rat {
	bySpec := register.Must(spec.IQRBottom(a, terms[0], terms[1]))
	byImpl := register.Must(impl.IQRBottom(a, loss.Exp(terms[0]), terms[1]))
	eps := math.Log(rat.Float64(terms[0]))
	want := laplaceAtLeast(float64(a-1)+math.Log(rat.Float64(terms[1]))/eps, 1/eps)
	t.Require(byImpl.Contains(bySpec) && byImpl.RelWidth() <= 1e-30 && isClose(rat.Float64(bySpec), want, 1e-10),
		"A_j = %d, e^ε = %s, δ = %s: Pr(⊥) is %.12g by spec, %.12g by impl, must be %.12g",
		a, terms[0], terms[1], bySpec, byImpl.Lower, want)
	return bySpec
}

// valueHasNoise checks Pr(output ∈ ℝ, output ≤ r) for some r.
func valueHasNoise(t *register.T, law impl.IQRLaw, eps float64) {
	for _, factor := range rat.List("-1", "0", "1/2", "1", "3") {
		r := rat.Mul(factor, rat.Max(law.IQR, rat.One))
		want := 0.0
		switch {
		case r.Sign() < 0 || r.Sign() == 0 && law.IQR.Sign() > 0:
		case law.IQR.Sign() == 0:
			want = floatEnd(law.Answer.Lower)
		default: // ln(r/IQR) is at least the noise
			want = floatEnd(law.Answer.Lower) * laplaceAtLeast(
				-math.Log(rat.Float64(rat.Quo(r, law.IQR)))/logBase(law.N), 1/eps)
		}
		got := register.Must(law.AtMost(r))
		t.Require(isClose(floatEnd(got.Lower), want, 1e-10), "range %s of %d records, ε = %.6g: "+
			"a value of at most %s has probability %.12g, must be %.12g", law.IQR, law.N, eps, r, got.Lower, want)
	}
}

// deltasAreIntegrals checks the smallest δ against sums over a fine grid of the logarithm of the output.
func deltasAreIntegrals(t *register.T, share float64) {
	n := t.Size(12, 200)
	t.AlsoDomain("the smallest δ of %d random pairs of laws, with charges of up to 3ε, against sums over a grid", n)
	t.Random(3, n, func(t *register.T, d register.Dice) {
		pairs := iqrPairs(t)
		p := pairs[d.Roll(len(pairs))]
		eps, delta := loss.Nats(big.NewRat(int64(1+d.Roll(4)), 4)), big.NewRat(1, int64(1+d.Roll(4)))
		law0, law1 := register.Must(impl.LawOfPrivateIQR(p[0].records, eps, delta)),
			register.Must(impl.LawOfPrivateIQR(p[1].records, eps, delta))
		answer, bottom := d.Roll(4), d.Roll(3)
		got := register.Must(impl.SmallestIQRDelta(law0, law1, answer, bottom))
		want := share * summedDelta(law0, law1, answer, bottom)
		t.Require(math.Abs(floatEnd(got.Lower)-want) <= 1e-4, "%v, ε = %s, δ = %s, ℰ(ℝ) = %dε, ℰ(⊥) = %dε: "+
			"smallest δ is %.9g, by a sum %.9g", p, eps.Rat(), delta, answer, bottom, got.Lower, want)
	})
}

// summedDelta returns what [impl.SmallestIQRDelta] does, by the midpoint rule.
func summedDelta(l, other impl.IQRLaw, answer, bottom int) float64 {
	eps := rat.Float64(l.Eps.Rat())
	p0, p1, b0, b1 := floatEnd(l.Answer.Upper), floatEnd(other.Answer.Upper), floatEnd(l.Bottom.Upper),
		floatEnd(other.Bottom.Upper)
	p1 *= math.Exp(float64(answer) * eps)
	sum := math.Max(0, b0-math.Exp(float64(bottom)*eps)*b1)
	switch {
	case l.IQR.Sign() == 0 && other.IQR.Sign() == 0: // one point
		return sum + math.Max(0, p0-p1)
	case l.IQR.Sign() == 0 || other.IQR.Sign() == 0: // the values differ always
		return sum + p0
	}
	shift := math.Log(rat.Float64(rat.Quo(other.IQR, l.IQR))) / logBase(l.N)
	const steps = 40000
	reach := math.Abs(shift) + 30/eps
	h := 2 * reach / steps
	for i := range steps {
		t := -reach + (float64(i)+0.5)*h
		sum += h * math.Max(0, p0*laplaceDensity(t, 1/eps)-p1*laplaceDensity(t-shift, 1/eps))
	}
	return sum
}

// iqrDatabase is a database.
type iqrDatabase struct {
	records []*big.Rat
	a       [2]int // A_1, A_2
	law     string // names what the laws depend on: n, A_1, A_2 and the range
}

// withDistances returns the database with A_1 and A_2.
func withDistances(records []*big.Rat) *iqrDatabase {
	s := &iqrDatabase{records: records}
	for j := range s.a {
		s.a[j] = register.Must(impl.IQRDistance(records, j+1))
	}
	s.law = fmt.Sprint(len(records), s.a, register.Must(impl.SampleIQR(records)))
	return s
}

// allValues are values enough for [spec.IQRDistance] to be that over all real numbers: those that x has and two beyond
// them, min x − w and max x + w with w = 3·IQR + 1, which is more than the upper edge of the bin, since 1 + 1/ln n < 3.
// Let y be a database outside the bin and R its replaced records. Let u and v be its quartiles.
//
// If y lies above, replace the records of R that are at most u by min x − w and the others by max x + w. The lower
// quartile does not rise, and is at most max x. The upper one falls only if it becomes max x + w; then the new range is
// at least w.
//
// If y lies below, at most ⌈n/4⌉ − 1 records are less than u and at most n − ⌈3n/4⌉ are greater than v. Replace all of
// R by one record that was kept and is in [u, v]: these numbers do not grow, so neither does the range. If no such
// record was kept, take the nearest kept one below u, or above v, or any value if none was kept: both quartiles become
// that value.
func allValues(x []*big.Rat) []*big.Rat {
	w := rat.Add(rat.Mul(rat.Int(3), register.Must(spec.SampleIQR(x))), rat.One)
	low, high := slices.MinFunc(x, (*big.Rat).Cmp), slices.MaxFunc(x, (*big.Rat).Cmp)
	return append(slices.Clone(x), rat.Sub(low, w), rat.Add(high, w))
}

// iqrRepeated returns records: how many of them, and which.
func iqrRepeated(groups [][2]int64) []*big.Rat {
	var x []*big.Rat
	for _, g := range groups {
		for range g[0] {
			x = append(x, big.NewRat(g[1], 1))
		}
	}
	return x
}

// iqrUnequal returns records with A_1 = 1 and A_2 = 2.
func iqrUnequal() []*big.Rat { return iqrRepeated([][2]int64{{2, 0}, {1, 2}, {3, 7}}) }

// iqrTerms are the (e^ε, δ) of the checks on M_IQR.
var iqrTerms = [][2]*big.Rat{
	{big.NewRat(3, 2), big.NewRat(1, 8)}, {big.NewRat(4, 1), big.NewRat(1, 1000000)}, {big.NewRat(4, 1), rat.One},
	{big.NewRat(16, 1), big.NewRat(1, 4)}, {big.NewRat(16, 1), big.NewRat(1, 64)},
	{big.NewRat(256, 1), big.NewRat(1, 256)},
}

// iqrPair are two neighbours.
type iqrPair [2]*iqrDatabase

func (p iqrPair) String() string {
	return fmt.Sprintf("records %s (A_1 = %d, A_2 = %d) against %s (A_1 = %d, A_2 = %d)",
		rat.Show(p[0].records...), p[0].a[0], p[0].a[1], rat.Show(p[1].records...), p[1].a[0], p[1].a[1])
}

// iqrCase are two neighbours, and (e^ε, δ).
type iqrCase struct {
	iqrPair
	terms [2]*big.Rat
}

func (c iqrCase) String() string {
	return fmt.Sprintf("%v; e^ε = %s, δ = %s", c.iqrPair, rat.Show(c.terms[0]), rat.Show(c.terms[1]))
}

// iqrValues are what a record can be. Their differences have many ratios below 1 + 1/ln n.
var iqrValues = []int{0, 1, 2, 7, 8, 9}

func iqrDomain(t *register.T) string {
	return fmt.Sprintf("%s; (e^ε, δ) in {%s}", iqrDatabases(t), showTerms(iqrTerms))
}

// iqrDatabases says which databases [iqrPairs] has.
func iqrDatabases(t *register.T) string {
	return fmt.Sprintf("all databases of 2 to %d records that are each one of 0, 1, 2, 7, 8, 9, and their neighbours "+
		"by a change of one record", t.Size(6, 9))
}

// knownPairs are those of up to so many records.
var knownPairs finite.Memo[int, []iqrPair]

func iqrPairs(t *register.T) []iqrPair {
	most := t.Size(6, 9)
	return knownPairs.Of(most, func() []iqrPair { return iqrFamily(most) })
}

// iqrFamily returns all pairs of neighbours of 2 to most records in [iqrValues], one for each pair of laws.
func iqrFamily(most int) (all []iqrPair) {
	for n := 2; n <= most; n++ {
		g, seen := newGraph(n, iqrValues), map[string]bool{}
		var databases []*iqrDatabase
		for _, x := range g.records {
			databases = append(databases, withDistances(x))
		}
		for i, others := range g.joined {
			for _, j := range append([]int{i}, others...) {
				p := iqrPair{databases[i], databases[j]}
				if laws := p[0].law + p[1].law; !seen[laws] {
					seen[laws] = true
					all = append(all, p)
				}
			}
		}
	}
	return all
}
