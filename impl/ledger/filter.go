package ledger

import (
	"fmt"
	"math/big"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// ZCDPFilter returns N of Theorem 1: how many of the rounds may run such that everything together is
// δ-approximate ρ-zCDP.
//
// Source: Whitehouse et al. (2023), Theorem 1; FAC-T1.
// Symbols: ρ_m = rho[m−1], δ_m = deltas[m−1]; ρ = target, δ = delta.
// Domain: as many ρ_m ≥ 0 as δ_m in [0, 1]; ρ ≥ 0, δ in [0, 1].
// Accuracy: exact; sums that take too much memory are rounded up, see [loss.Sum].
// Deviation from print: the index ℓ on ρ is m.
// Cost: O(n).
func ZCDPFilter(rho, deltas []*big.Rat, target, delta *big.Rat) (int, error) {
	var eps []loss.Epsilon
	for _, r := range rho {
		eps = append(eps, loss.Nats(r))
	}
	if err := checkRounds("ZCDPFilter", eps, deltas, loss.Nats(target), delta); err != nil {
		return 0, err
	}
	return admittedBy(Amount{loss.OfRat(target), loss.OfRat(delta)}, loss.Of, eps, deltas), nil
}

// DPFilter returns N of Theorem 2, and what is printed there as the ε of its guarantee with δ, ρ + 2√(ρ ln(1/δ)).
//
// Source: Whitehouse et al. (2023), Theorem 2; FAC-T2.
// Symbols: ε_m = eps[m−1], δ_m = deltas[m−1]; ρ = rho, δ = delta.
// Domain: as many ε_m ≥ 0 as δ_m in [0, 1]; ρ ≥ 0, δ in (0, 1).
// Accuracy: N exact if no ε was given as e^ε, and otherwise hardly ever too small; the guarantee to 2^-120.
// Deviation from print: the index ℓ on ε² is m. What is printed does not hold for every δ″, see [NewZCDPFilter].
// Cost: O(n).
func DPFilter(eps []loss.Epsilon, deltas []*big.Rat,
	rho, delta *big.Rat) (n int, guarantee interval.Interval, err error) {
	if err := checkRounds("DPFilter", eps, deltas, loss.Nats(rho), delta); err != nil {
		return 0, guarantee, err
	}
	if delta.Sign() == 0 || delta.Cmp(rational.One) == 0 {
		return 0, guarantee, fmt.Errorf("DPFilter: delta is %s, must be more than 0 and less than 1",
			rational.Decimal(delta))
	}
	twice := loss.OfRat(new(big.Rat).Add(rho, rho))
	guarantee, _ = ZCDPToDP(rho, delta, delta)
	return admittedBy(Amount{twice, loss.OfRat(delta)}, squared, eps, deltas), guarantee, nil
}

// AdaptiveFilter returns N((ε_n), (δ_n)) of Theorem 8: how many of the rounds may run such that everything
// together is (ε, δ′ + δ″)-DP.
//
// Source: Whitehouse et al. (2023), Theorem 8; FAC-T8.
// Symbols: ε_m = eps[m−1], δ_m = deltas[m−1]; ε = target, δ′ = delta1, δ″ = delta2.
// Domain: as many ε_m ≥ 0 as δ_m in [0, 1]; ε in [0, 1e6], or any e^ε; δ′ in [1e-300, 1), δ″ ≥ 0 with δ′ + δ″ < 1.
// Accuracy: hardly ever too small, never too large.
// Deviation from print: none.
// Cost: O(n).
func AdaptiveFilter(eps []loss.Epsilon, deltas []*big.Rat, target loss.Epsilon, delta1, delta2 *big.Rat) (int, error) {
	if delta1 == nil || delta2 == nil {
		return 0, fmt.Errorf("AdaptiveFilter: δ′ or δ″ is missing, must be numbers")
	}
	f, err := NewAdaptiveFilter(target, new(big.Rat).Add(delta1, delta2), delta2)
	if err != nil {
		return 0, fmt.Errorf("AdaptiveFilter: %w", err)
	}
	if err := checkRounds("AdaptiveFilter", eps, deltas, target, delta2); err != nil {
		return 0, err
	}
	return admittedBy(f.capacity, squared, eps, deltas), nil
}

// admittedBy returns how many rounds are within a limit, by what each of them is charged.
func admittedBy(most Amount, charge func(loss.Epsilon) loss.Sum, eps []loss.Epsilon, deltas []*big.Rat) int {
	var s Sums
	for i, e := range eps {
		next, admitted := s.admit(charge(e), deltas[i], most)
		if !admitted {
			return i
		}
		s = next
	}
	return len(eps)
}

// checkRounds refuses rounds and targets that are none.
func checkRounds(name string, eps []loss.Epsilon, deltas []*big.Rat, target loss.Epsilon, delta *big.Rat) error {
	if len(eps) != len(deltas) {
		return fmt.Errorf("%s: there are %d first and %d second parameters, must be equally many",
			name, len(eps), len(deltas))
	}
	for i, e := range append(eps[:len(eps):len(eps)], target) {
		d, where := delta, "target"
		if i < len(eps) {
			d, where = deltas[i], fmt.Sprintf("round %d", i+1)
		}
		if err := (&DPGuarantee{e, d}).validate(); err != nil {
			return fmt.Errorf("%s: %s: %w", name, where, err)
		}
	}
	return nil
}
