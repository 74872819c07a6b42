// Package certify computes certified ends of OptDel, of the δ of single stops and of Lemma 11's δ,
// for a pipeline of (ε, δ)-DP mechanisms that may end early (ODP-T15, ODP-E4). It is the part of
// this program that has to be right: whatever proposed the [Hints] is trusted for nothing, and what
// [Check] returns is what is printed. It imports nothing but the standard
// library and, beneath it, the laws of noise and losses (noise) and the arithmetic of both (internal/num).
//
// # What is computed
//
// The worst (ε, δ)-DP mechanism is randomized response: with P0-mass δ an output that is impossible
// under P1, otherwise a loss of ε or −ε with the odds e^ε : 1. What a prefix q of outputs is worth,
// V(q), depends on its P0-mass a and its loss ℓ = ln(a/b) only, V = a·u(ℓ), and
//
//	u(ℓ) = max(0, 1 − e^(E−ℓ))            at the last stop,
//	u(ℓ) = infinity + Σ mass·u(ℓ + loss)      before a run of mechanisms, over the atoms of its law,
//	u(ℓ) = max(that, 1 − e^(E−ℓ))         at another stop.
//
// A mechanism with a law of its own has the losses ln(P/Q) of its outputs instead, and their masses: nothing
// below needs more of randomized response than that (pair.go). So has one with noise, or with losses that are given,
// or several that see one sample, of which there are so many that they are put on nodes at once (dense.go, and package
// noise).
//
// OptDel is u(0) in the beginning. u does not fall with ℓ, lies between 0 and 1, and v = u·e^ℓ is
// convex in e^ℓ.
//
// # Upper ends
//
// One number w ≥ u for every node of a [Lattice], from the last stop to the first, by the same
// sums and maxima: they are monotone, so w ≥ u stays true. Below a window w is that of its lowest
// node, and above it 1: u does not fall, and is at most 1. A loss between two nodes is split such
// that P0- and P1-mass stay what they are; then w there is the chord of v between two nodes, which
// lies above the convex v. For single stops the laws are pushed forward instead, with the same
// splitting, and what is given up counts for all that it may be worth.
//
// # Lower ends
//
// Any rule that says who stops is worth at most OptDel. The laws of P0 and P1 are pushed forward
// under one that sees nothing but the nodes: a loss between two nodes goes to the nearer one, so that
// runs on a node have different losses, and what they are worth if they end there is a − e^E·b with
// the masses a and b of all of them. What is given up is worth at least 0. b has a floor, as what is too small for
// float64 may grow again.
//
// # Rounding
//
// Passes work in float64; one factor covers their roundings. Constants come from intervals of big.Float
// with directed rounding; whether a loss is a node, and which node is the first above a charge, is decided
// exactly. For narrower ends, or losses that have no unit, every loss is a state of its own, and all numbers
// are such intervals (states.go).
//
// # What is assumed
//
// That Theorem 15 is right, and that randomized response is the worst mechanism; that float64 is
// IEEE 754 with rounding to nearest, fused or not; that math/big rounds as documented; that the
// compiler and the machine work. Nothing is assumed about math.Exp or math.Log.
package certify
