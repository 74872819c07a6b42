package odp

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// distancesAgree checks A_1 and A_2 by impl against those from the words, and by spec, which takes long, for some.
func distancesAgree(t *register.T) {
	t.AlsoDomain("A_1 and A_2 of them")
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
			if s.a[j-1] != want || bySpec != want || rat.Float64(iqr) != percentileRange(rat.Floats(s.records)) ||
				!rat.Equal(iqr, range2) {
				t.Refute("records %s: A_%d = %d by impl, %d by spec, must be %d; range %s by impl, %s by spec",
					rat.Show(s.records...), j, s.a[j-1], bySpec, want, rat.Show(iqr), rat.Show(range2))
			}
		}
	}
}

// lawsOfMIQR checks the law of M_IQR: ⊥ if both M^D_1 and M^D_2 say so, whose noise has the law Lap(1/ε), and otherwise
// the range with the noise that a value has; and ⊥ of M^D_j for larger distances than theirs. A factor of Pr(M^D_2(x) =
// ⊥) is for a control.
func lawsOfMIQR(factor *big.Rat) register.Check {
	return func(t *register.T) {
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
				if silent := rat.Mul(first, second); !law.Bottom.Contains(silent) || !law.Answer.Contains(rat.Complement(silent)) {
					t.Refute("%v, e^ε = %s, δ = %s: M_IQR returns ⊥ with probability %.12g and a value with %.12g, claimed is "+
						"⊥ with %s", p, rat.Show(terms[0]), rat.Show(terms[1]), law.Bottom.Lower, law.Answer.Lower,
						silent.FloatString(12))
				}
				valueHasNoise(t, law, math.Log(rat.Float64(terms[0])))
			}
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
	if !byImpl.Contains(bySpec) || byImpl.RelWidth() > 1e-30 || !isNear(rat.Float64(bySpec), want, 1e-10) {
		t.Refute("A_j = %d, e^ε = %s, δ = %s: Pr(⊥) is %.12g by spec, %.12g by impl, must be %.12g", a, rat.Show(terms[0]),
			rat.Show(terms[1]), rat.Float64(bySpec), byImpl.Lower, want)
	}
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
			want = floatEnd(law.Answer.Lower) * laplaceAtLeast(-math.Log(rat.Float64(rat.Quo(r, law.IQR)))/logBase(law.N), 1/eps)
		}
		if got := register.Must(law.AtMost(r)); !isNear(floatEnd(got.Lower), want, 1e-10) {
			t.Refute("range %s of %d records, ε = %.6g: a value of at most %s has probability %.12g, must be %.12g",
				rat.Show(law.IQR), law.N, eps, rat.Show(r), got.Lower, want)
		}
	}
}

// deltasAreIntegrals checks the smallest δ against sums over a fine grid of the logarithm of the output.
func deltasAreIntegrals(share float64) register.Check {
	return func(t *register.T) {
		n := t.Size(24, 200)
		t.AlsoDomain("the smallest δ of %d random pairs of laws, with charges of up to 3ε, against sums over a grid", n)
		t.Random(3, n, func(t *register.T, d register.Dice) {
			pairs := iqrPairs(t)
			p := pairs[d.Roll(len(pairs))]
			eps, delta := loss.Nats(big.NewRat(int64(1+d.Roll(4)), 4)), big.NewRat(1, int64(1+d.Roll(4)))
			law0, law1 := register.Must(impl.LawOfPrivateIQR(p[0].records, eps, delta)),
				register.Must(impl.LawOfPrivateIQR(p[1].records, eps, delta))
			answer, bottom := d.Roll(4), d.Roll(3)
			got := register.Must(impl.SmallestIQRDelta(law0, law1, answer, bottom))
			if want := share * summedDelta(law0, law1, answer, bottom); !(math.Abs(floatEnd(got.Lower)-want) <= 1e-4) {
				t.Refute("%v, ε = %s, δ = %s, ℰ(ℝ) = %s, ℰ(⊥) = %s: smallest δ is %.9g, by a sum %.9g", p, rat.Show(eps.Rat()),
					rat.Show(delta), epsTimes(answer), epsTimes(bottom), got.Lower, want)
			}
		})
	}
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
