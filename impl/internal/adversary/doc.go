// Package adversary finds the worst adversary of a rule of adaptive composition: somebody who, after
// seeing everything, chooses the next mechanism from a finite menu, as far as the rule admits it, or stops.
// Mechanisms are the worst with a guarantee by parts of their outputs; that of one part is randomized response.
//
// # Backward induction
//
// A situation is the number of rounds left, what the rule remembers, and the privacy loss ℓ, a whole
// number of units. Let a be the probability P0 of what was seen, and u·a what the rest is worth. Then
//
//	u(ℓ) = max(stop(ℓ), max_j δ_j·u(∞) + (1 − δ_j)·(p_j·u(ℓ + ℰ_j) + (1 − p_j)·u(ℓ − ℱ_j))),
//
// with the u behind it of one round less and of what the rule remembers after an output in the part with ℰ, or in
// that with ℱ, p = (e^ℱ − 1)/(e^ℱ − e^(−ℰ)), and j over what the rule admits and both parts of it. For a filter
// stop(ℓ) = max(0, 1 − e^(ε−ℓ)): the best set of views holds the view, or not. For an odometer u = 1 where ℓ exceeds
// the reading, and stopping is worth nothing. What is impossible under P1, an infinite loss, is worth all of it, as
// soon as the reading is finite.
//
// Values are kept for the losses that a memory can have after so many rounds: up to the largest, and of one parity
// only, if all ways there have the same.
//
// # Errors
//
// All terms are non-negative, and u does not fall in any of them, nor in any probability. So one pass
// with all inputs rounded down, and one with all rounded up, enclose the worth of the best adversary,
// but for the rounding of the pass itself: two products, two sums a round, each with a relative error of
// at most 2^-53. The pass downwards follows one adversary, which is the one that is returned: whatever
// it is, it is worth that much.
package adversary
