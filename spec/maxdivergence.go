package spec

import "math/big"

// ExpMaxDivergence returns e^(D_∞(Y‖Z)), the largest Pr[Y ∈ S]/Pr[Z ∈ S] over S ⊆ Supp(Y); nil if it is infinite.
//
// Source: Dwork and Roth (2014), Definition 3.6; AFD-D3.6.
// Also in the checks of AFD-T3.14, AFD-K3.15 and AFD-T3.20.s2.
// Symbols: the laws of Y and Z are y and z.
// Domain: two laws with at most 20 outputs. Result at least 1.
// Accuracy: exact.
// Deviation from print: e^(D_∞) for D_∞.
// Cost: O(m·2^m) for m outputs.
func ExpMaxDivergence(y, z map[string]*big.Rat) *big.Rat {
	return ExpApproximateMaxDivergence(y, z, new(big.Rat))
}

// ExpApproximateMaxDivergence returns e^(D_∞^δ(Y‖Z)), the largest (Pr[Y ∈ S] − δ)/Pr[Z ∈ S] over S ⊆ Supp(Y) with
// Pr[Y ∈ S] ≥ δ; nil if it is infinite.
//
// Source: Dwork and Roth (2014), Definition 3.6; AFD-D3.6.
// Also in the checks of AFD-R3.1, AFD-L3.17, AFD-L3.17.s1, AFD-L3.17.s3, AFD-L3.17.s6, AFD-T3.20.s1, AFD-T3.20.s5 and
// AFD-T3.20.s6.
// Symbols: the laws of Y and Z are y and z, δ = delta.
// Domain: two laws with at most 20 outputs, δ in [0, 1]. Result at least 0.
// Accuracy: exact.
// Deviation from print: e^D for D; a set with Pr[Y ∈ S] = δ counts 0 (ln 0), also where Pr[Z ∈ S] = 0. Print calls all
// fractions with a zero denominator infinite, as numerators were always positive; those are not.
// Cost: O(m·2^m) for m outputs.
func ExpApproximateMaxDivergence(y, z map[string]*big.Rat, delta *big.Rat) *big.Rat {
	most := new(big.Rat)
	for _, s := range subsets(support(y)) {
		numerator, denominator := sub(probability(y, s), delta), probability(z, s)
		if numerator.Sign() <= 0 {
			continue
		}
		if denominator.Sign() == 0 {
			return nil
		}
		most = larger(most, quo(numerator, denominator))
	}
	return most
}

// support returns Supp(Y).
func support(y map[string]*big.Rat) (outputs []string) {
	for _, output := range union(y, nil) {
		if y[output].Sign() > 0 {
			outputs = append(outputs, output)
		}
	}
	return outputs
}

// StatisticalDistance returns Δ(Y, Z), the largest |Pr[Y ∈ S] − Pr[Z ∈ S]| over all sets S.
//
// Source: Dwork and Roth (2014), Section 3.5.1; AFD-U7.
// Also in the checks of AFD-L3.17, AFD-L3.17.s3, AFD-L3.17.s7, AFD-L3.17.s9, AFD-T3.20.s5 and AFD-T3.20.s6.
// Symbols: the laws of Y and Z are y and z.
// Domain: two laws with at most 20 outputs. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(m·2^m) for m outputs.
func StatisticalDistance(y, z map[string]*big.Rat) *big.Rat {
	most := new(big.Rat)
	for _, s := range subsets(union(y, z)) {
		difference := sub(probability(y, s), probability(z, s))
		most = larger(most, difference.Abs(difference))
	}
	return most
}

// CloseToFirst returns the Y′ that the proof of Lemma 3.17, part 1, constructs: on S = {Y > e^ε Z} it has e^ε Z, and
// what that leaves over goes to T = {Y < Z}, in proportion to Z − Y.
//
// Source: Dwork and Roth (2014), Lemma 3.17, 1; AFD-L3.17.
// Also in the check of AFD-L3.17.s3.
// Symbols: the laws of Y and Z are y and z, e^ε = expEps.
// Domain: two laws, e^ε ≥ 1.
// Accuracy: exact.
// Deviation from print: none; print leaves open how the rest is shared.
// Cost: O(m) for m outputs.
func CloseToFirst(y, z map[string]*big.Rat, expEps *big.Rat) map[string]*big.Rat {
	near := map[string]*big.Rat{}
	left, room := new(big.Rat), new(big.Rat)
	for _, o := range union(y, z) {
		py, pz := probability(y, []string{o}), probability(z, []string{o})
		near[o] = py
		switch {
		case py.Cmp(mul(expEps, pz)) > 0: // S
			near[o] = mul(expEps, pz)
			left = add(left, sub(py, near[o]))
		case py.Cmp(pz) < 0: // T
			room = add(room, sub(pz, py))
		}
	}
	raise(near, z, left, room)
	return near
}

// raise shares a mass among the outputs where law is less than limit, in proportion to what is missing there.
func raise(law, limit map[string]*big.Rat, mass, room *big.Rat) {
	if mass.Sign() == 0 {
		return
	}
	for o, pr := range law {
		if most := probability(limit, []string{o}); pr.Cmp(most) < 0 {
			law[o] = add(pr, mul(quo(mass, room), sub(most, pr)))
		}
	}
}

// CloseToBoth returns the Y′ and Z′ that the proof of Lemma 3.17, part 2, constructs: where Y > e^ε Z, they share Y + Z
// in the ratio e^ε : 1, where Z > e^ε Y in the ratio 1 : e^ε; then, of what Y′ has lost more than Z′, or less, it gets
// back half the difference, and Z′ loses it, on R = {Y′ < Z′}, in proportion to Z′ − Y′.
//
// Source: Dwork and Roth (2014), Lemma 3.17, 2; AFD-L3.17.
// Also in the checks of AFD-L3.17.s4, AFD-L3.17.s5, AFD-L3.17.s6, AFD-L3.17.s7, AFD-L3.17.s8 and AFD-L3.17.s9.
// Symbols: the laws of Y and Z are y and z, e^ε = expEps.
// Domain: two laws, e^ε ≥ 1.
// Accuracy: exact.
// Deviation from print: print leaves open how β is shared on R; the case α < α′, of which it says nothing, is that of
// α > α′ with Y and Z exchanged.
// Cost: O(m) for m outputs.
func CloseToBoth(y, z map[string]*big.Rat, expEps *big.Rat) (closeY, closeZ map[string]*big.Rat) {
	closeY, closeZ = map[string]*big.Rat{}, map[string]*big.Rat{}
	small := quo(one, add(one, expEps))
	large, beta := mul(expEps, small), new(big.Rat)
	for _, o := range union(y, z) {
		py, pz := probability(y, []string{o}), probability(z, []string{o})
		closeY[o], closeZ[o] = py, pz
		switch {
		case py.Cmp(mul(expEps, pz)) > 0: // S
			closeY[o], closeZ[o] = mul(large, add(py, pz)), mul(small, add(py, pz))
		case pz.Cmp(mul(expEps, py)) > 0: // S′
			closeY[o], closeZ[o] = mul(small, add(py, pz)), mul(large, add(py, pz))
		}
		beta = add(beta, sub(py, closeY[o]))
	}
	if beta.Sign() >= 0 {
		meet(closeY, closeZ, beta)
	} else {
		meet(closeZ, closeY, new(big.Rat).Neg(beta))
	}
	return closeY, closeZ
}

// meet raises a by β and lowers b by β, where a < b.
func meet(a, b map[string]*big.Rat, beta *big.Rat) {
	room := new(big.Rat)
	for o := range a {
		if a[o].Cmp(b[o]) < 0 {
			room = add(room, sub(b[o], a[o]))
		}
	}
	for o := range a {
		if beta.Sign() > 0 && a[o].Cmp(b[o]) < 0 {
			share := mul(quo(beta, room), sub(b[o], a[o]))
			a[o], b[o] = add(a[o], share), sub(b[o], share)
		}
	}
}

// InBadEvent reports whether an output is in B = {x : Pr_P[x]/Pr_Q[x] ≥ e^ε'}.
//
// Source: Liu and Talwar (2019), proof of Lemma E.2; PSC-LE.2.s1. Also in the check of PSC-LE.2b.
// Symbols: Pr_P[x] = p, Pr_Q[x] = q, e^ε' = expEps.
// Domain: p and q in [0, 1], expEps at least 1.
// Accuracy: exact.
// Deviation from print: where p and q are 0 the output is in B; it counts for nothing.
// Cost: O(1).
func InBadEvent(p, q, expEps *big.Rat) bool { return p.Cmp(mul(expEps, q)) >= 0 }
