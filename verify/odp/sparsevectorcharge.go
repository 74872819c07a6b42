package odp

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// charger is a claim ℰ(S_{c'}) for given ε_1, ε_2, c and c'.
type charger func(eps1, eps2 *big.Rat, c, released int) *big.Rat

func chargePrinted(eps1, eps2 *big.Rat, c, released int) *big.Rat {
	return register.Must(spec.SparseVectorCharge(eps1, eps2, c, released))
}

// chargeAll claims the charge of c times ⊤ for all outputs, of shares of ε_1 and ε_2.
func chargeAll(share1, share2 *big.Rat) charger {
	return func(eps1, eps2 *big.Rat, c, _ int) *big.Rat {
		return chargePrinted(rat.Mul(share1, eps1), rat.Mul(share2, eps2), c, c)
	}
}

// tightCharges claim that one charge could be smaller by a millionth, for c = 3.
func tightCharges() (claims []register.Part) {
	for k := range 4 {
		claims = append(claims,
			near(fmt.Sprintf("for c = 3, ℰ(S_%d) can be smaller by 10^-6", k), with(sparseVectorCharges,
				func(eps1, eps2 *big.Rat, c, released int) *big.Rat {
					charge := chargePrinted(eps1, eps2, c, released)
					if c == 3 && released == k {
						charge.Sub(charge, rat.Of("1e-6"))
					}
					return charge
				})))
	}
	return claims
}

// chargesAgree checks that spec and impl charge what is printed.
var chargesAgree = finite.Over("spec's and impl's charges for c in {1, 2, 3, 4, 5, 6, 7, 8} and all c', "+
	"ε_1 and ε_2 in {0, 1/10, 3/7, 2}",
	func(t *register.T, c int, eps1, eps2 *big.Rat) {
		for released := range c + 1 {
			printed := rat.Add(eps1, rat.Mul(big.NewRat(int64(released), int64(c)), eps2))
			agree(t, fmt.Sprintf("for c' = %d printed is", released), printed,
				"by spec", chargePrinted(eps1, eps2, c, released),
				"by impl", register.Must(impl.SparseVectorCharge(eps1, eps2, c, released)))
		}
	})

// technique is the sparse vector technique for some ε_1 and ε_2.
type technique struct {
	probabilities
	eps1, eps2 *big.Rat
}

func newTechnique(t *register.T, delta *big.Rat, c int, split [2]string) technique {
	eps1, eps2 := rat.Of(split[0]), rat.Of(split[1])
	return technique{probabilities{t, register.Must(impl.NewSparseVectorLaw(delta, c, eps1, eps2))}, eps1, eps2}
}

// keeps refutes that an output, if the technique has it, loses more than it is charged.
func (s technique) keeps(charge charger, pair neighbours) {
	if pair.released() > s.law.Cutoff {
		return
	}
	s.t.Case()
	e := charge(s.eps1, s.eps2, s.law.Cutoff, pair.released())
	s.t.In("c = %d, ε_1 = %s, ε_2 = %s", s.law.Cutoff, s.eps1, s.eps2)
	if s.exceeds(pair, e) {
		s.t.Refute("%s > ℰ = %s", s.evidence(pair), e)
	}
	s.t.Close(ninePlaces(s.loss(pair)/rat.Float64(e)), "%v", pair)
}

// sparseVectorCharges checks that P0(a) ≤ e^ℰ·P1(a) for all outputs a, with the ℰ of the
// number of ⊤ in a.
func sparseVectorCharges(t *register.T, charge charger) {
	n, m := t.Size(2, 4), t.Size(2, len(splits))
	t.AlsoDomain("c ≤ 3, (ε_1, ε_2) in %s; all lists of up to %d queries with answers in {−2, 0, 1} that change by up "+
		"to 1, either database first, all outputs; up to 64 times ⊥ with up to c times ⊤, Δ = 1 and 3, also for c = 8",
		showSplits(m), n)
	var small []technique
	for _, split := range splits[:m] {
		for c := 1; c <= 3; c++ {
			small = append(small, newTechnique(t, rat.One, c, split))
		}
	}
	for l := range n {
		for _, s := range small {
			smallRuns(l+1, func(pair neighbours) { s.keeps(charge, pair) })
		}
	}
	three := rat.Int(3)
	for _, s := range append(small, newTechnique(t, rat.One, 8, splits[2])) {
		for released := range s.law.Cutoff + 1 {
			for _, pair := range extremeRuns(released) {
				eitherFirst(pair, func(pair neighbours) { s.keeps(charge, pair) })
			}
		}
		s.law = register.Must(impl.NewSparseVectorLaw(three, s.law.Cutoff, s.eps1, s.eps2))
		for _, pair := range extremeRuns(s.law.Cutoff) {
			s.keeps(charge, pair.times(three))
		}
	}
	t.AlsoDomain("%s", closestRuns(t, charge))
}

// closest is a run and its loss.
type closest struct {
	runs neighbours
	loss interval.Interval
}

// knownClosest are the runs that a search has found before, by the number of ⊤ and the most queries.
var knownClosest finite.Memo[[2]int, closest]

// closestRun returns the run of the technique with c = 3 and ε_1 = ε_2 = 1/2 that comes closest to the charges.
func closestRun(t *register.T, released, most int) closest {
	return knownClosest.Of([2]int{released, most}, func() closest {
		law := register.Must(impl.NewSparseVectorLaw(rat.One, 3, rat.Half, rat.Half))
		runs, loss, err := impl.ClosestRun(law, released, most)
		t.Must(err)
		return closest{runs, loss}
	})
}

// closestRuns says how close they come: the exact margin of each part.
func closestRuns(t *register.T, charge charger) string {
	law, most := register.Must(impl.NewSparseVectorLaw(rat.One, 3, rat.Half, rat.Half)), t.Size(24, 40)
	one := closestRun(t, 0, 1).loss
	t.Require(one.Lower.Sign() > 0,
		"c = 3, ε_1 = ε_2 = 1/2, c' = 0: the closest run with one query has a loss of at least %.6g, "+
			"and a single ⊥ loses something", one.Lower)
	text := fmt.Sprintf("the closest runs with up to %d queries that a search finds for c = 3, ε_1 = ε_2 = 1/2 are "+
		"below the charges by", most)
	for released := range 4 {
		t.Case()
		found := closestRun(t, released, most)
		e := charge(rat.Half, rat.Half, 3, released)
		if !rat.IsAtMost(found.loss, e) {
			t.Refute("c = 3, ε_1 = ε_2 = 1/2, %s: not at most ℰ = %s", probabilities{t, law}.evidence(found.runs), e)
		}
		text += fmt.Sprintf(" %.2g,", rat.Float64(rat.Sub(e, rat.Exact(found.loss.Lower))))
	}
	return strings.TrimSuffix(text, ",") + " for c' = 0, 1, 2, 3"
}

// proofSteps checks the two inequalities in the proof of Lemma 8, after division by the
// denominator, that of P1: with N = ∫ Pr(ρ = z) ∏ f_i(x', z) ∏ g_i(x, z − Δ) dz,
//
//	P0 ≤ e^(ε_1)·N and N ≤ e^((c'/c)·ε_2)·∫ Pr(ρ = z) ∏ f_i(y, z) ∏ g_i(y, z) dz,
//
// where y is x in print (b = 0), and x' as it must be (b = 1). Such integrals are
// probabilities: g_i(x, z − Δ) is that of ⊤ with an answer larger by Δ.
func proofSteps(t *register.T, b int) {
	n := t.Size(2, 3)
	t.AlsoDomain("proof: Δ = 1, c ≤ 3, ε_1 = ε_2 = 1/2; all lists of up to %d queries with answers in {−2, 0, 1} that "+
		"change by up to 1, either database first, all outputs", n)
	for l := range n {
		for c := 1; c <= 3; c++ {
			p := probabilities{t, register.Must(impl.NewSparseVectorLaw(rat.One, c, rat.Half, rat.Half))}
			smallRuns(l+1, func(pair neighbours) {
				if pair.released() > c {
					return
				}
				t.Case()
				var mixed []impl.Comparison
				for i, of1 := range pair[1] {
					if of1.Above {
						of1.Query = rat.Add(pair[0][i].Query, rat.One)
					}
					mixed = append(mixed, of1)
				}
				rest := register.Must(spec.SparseVectorCharge(new(big.Rat), rat.Half, c, pair.released()))
				if first := (neighbours{pair[0], mixed}); p.exceeds(first, rat.Half) {
					t.Refute("c = %d, first step, P0 against N: %s > ε_1 = 1/2", c, p.evidence(first))
				}
				if second := (neighbours{mixed, pair[b]}); p.exceeds(second, rest) {
					t.Refute("c = %d, neighbours with %v; second step, N against the integral for y: "+
						"%s > (c'/c)·ε_2 = %s", c, pair, p.evidence(second), rest)
				}
			})
		}
	}
}

// shift says how the chain of ODP-E1 reads: its last step has e^(kappa·ε_2/c), the one before shifts z by further·Δ,
// and the answers to a query differ by up to change·Δ.
type shift struct{ kappa, further, change *big.Rat }

var shiftPrinted = shift{kappa: rat.One, further: rat.Of("2"), change: rat.One}

// topShift checks the chain of ODP-E1, from x, whose answer to the query is larger by change·Δ, to x'.
func topShift(t *register.T, claim shift) {
	n := int64(t.Size(6, 30))
	threshold, answer := rat.Of("1/4"), rat.Half // T and q(x')
	grid := fmt.Sprintf("Δ in {1, 3}, c in {1, 2, 3}, ε_2 in {1/2, 2}, h in {−1, −1/2, 0, 1/2, 1}; "+
		"q(x) = q(x') + hΔ, T = 1/4, q(x') = 1/2, z/Δ from −%d to %d in steps of 1/2", n, n)
	finite.Each(t, grid, func(at string, delta *big.Rat, c int, eps2, h *big.Rat) {
		change := rat.Product(h, claim.change, delta)
		law := register.Must(impl.NewSparseVectorLaw(delta, c, rat.One, eps2))
		kappa := rat.Mul(claim.kappa, rat.Quo(eps2, rat.Int(c)))
		for z := -2 * n; z <= 2*n; z++ {
			at2 := rat.Mul(big.NewRat(z, 2), delta)
			t.At("%s, z = %s", at, at2)
			tail := func(z, q *big.Rat) *big.Rat { return rat.Sub(rat.Add(threshold, z), q) } // ν is at least this
			shifted := rat.Sub(at2, delta)
			first, second := tail(shifted, rat.Add(answer, change)), tail(shifted, rat.Add(answer, delta))
			third, last := tail(rat.Sub(at2, rat.Mul(claim.further, delta)), answer), tail(at2, answer)
			noises{rat.Float64(delta), c, 1, rat.Float64(eps2)}.agrees(t, law, at2,
				[]impl.Comparison{{Query: answer, Threshold: threshold, Above: true}}, 1)
			for _, step := range []struct {
				name        string
				y, y1, most *big.Rat // Pr(ν ≥ y) ≤ e^most·Pr(ν ≥ y1)
			}{{"first step", first, second, new(big.Rat)}, {"second step", second, third, new(big.Rat)},
				{"second step, back", third, second, new(big.Rat)}, {"third step", third, last, kappa},
				{"both ends", first, last, kappa}} {
				t.Require(!tailExceeds(t, law, step.y, step.y1, step.most), "%s: Pr(ν ≥ %s) against e^(%s)·Pr(ν ≥ %s)",
					step.name, step.y, step.most, step.y1)
			}
			nu := rat.Float64(law.NuScale)
			t.Close(ninePlaces(laplaceAtLeast(rat.Float64(first), nu)/laplaceAtLeast(rat.Float64(last), nu)/
				math.Exp(rat.Float64(kappa))), "")
		}
	})
}

// tailExceeds reports whether Pr(ν ≥ y0) > e^κ·Pr(ν ≥ y1). For y0, y1 ≥ 0 these are
// e^(−y/scale)/2, and the exponents decide; for y0 = y1, the sign of κ does.
func tailExceeds(t *register.T, law impl.SparseVectorLaw, y0, y1, kappa *big.Rat) bool {
	if y0.Sign() >= 0 && y1.Sign() >= 0 || y0.Cmp(y1) == 0 {
		exponent := rat.Sub(y1, y0)
		return exponent.Quo(exponent, law.NuScale).Cmp(kappa) > 0
	}
	at := func(y *big.Rat) interval.Interval {
		return register.Must(law.Given(y, impl.Comparison{Query: new(big.Rat), Threshold: new(big.Rat), Above: true}))
	}
	ratio := register.Must(impl.LogRatio(at(y0), at(y1)))
	if !rat.IsAbove(ratio, kappa) && !rat.IsAtMost(ratio, kappa) {
		t.Inconclusive("Pr(ν ≥ %s) and e^(%s)·Pr(ν ≥ %s) are too close", rat.Show(y0), rat.Show(kappa), rat.Show(y1))
	}
	return rat.IsAbove(ratio, kappa)
}
