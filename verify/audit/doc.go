// Package audit looks for violations of privacy claims: it is given a mechanism, as a law
// or as a program that draws outputs, and a claim of differential privacy or of output
// differential privacy, and returns an event that the claim does not allow, or how large
// a violation it would have seen.
//
// A claim is that P0(S) ≤ Σ_i e^(ε_i)·P1(S ∩ P_i) + δ for all events S, where P0 and P1 are the
// laws of the outputs on neighbouring inputs and P_i the parts of the output partition; one
// part is plain differential privacy.
//
// Where the law is known ([Law], [Examine]) the smallest δ is computed, in certified
// intervals or exactly. Otherwise outputs are drawn ([Run]), in rounds:
//
//   - a [model] is learned from one half of all earlier outputs: a partition of the outputs
//     into cells of about the same likelihood ratio, by a tree over their numbers, and by the
//     outputs themselves where they repeat and differ from others by more than chance; and
//     another one ([wide]) by what stands at their places, whatever their shapes are;
//   - the other half is counted in these cells, and the event and the bet are chosen that
//     promise most ([round.choose], [place]);
//   - the round is drawn, and the bet multiplies a capital that nobody can expect to grow if
//     the claim is true ([bet]).
//
// When the capital is 1/α times what it was, the claim is refuted. One may look at any
// time: a supermartingale that starts at 1 ever reaches 1/α with probability at most α (Ville
// 1939). Lower bounds on ε and δ are walks over ever weaker claims (bound.go), and what
// would have been seen is found by playing the game on imagined counts (power.go).
package audit
