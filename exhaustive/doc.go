// Package exhaustive solves small problems by going through everything: every
// sequence of randomized responses in {0,1,2,3}^k once, every stopping criterion, or
// every adversary of a composition.
//
// It is the judge between the literal formulas and the fast algorithms, and
// assumes neither. In particular it merges no two sequences, whatever their
// probabilities, and does not know that good stopping rules are thresholds.
//
// # Adversaries
//
// [WorstAdversary] writes down every deterministic adversary on a menu of finite
// mechanisms, which is a choice at every sequence of outputs so far, with the law of its
// view, and takes the largest difference over all of them.
//
// [WorstExcess] does the same for an odometer: it adds up the views in which the loss is ever above the reading.
//
// # One walk
//
// Write a and b for the probabilities P_0(q) and P_1(q) that the responses
// begin with q. With stops k_1 < … < k_n and e_i = e^ℰ(P_i), let
//
//	V(q) = max(0, a − e_n·b)            if |q| = k_n,
//	V(q) = max(a − e_i·b, Σ_z V(qz))    if |q| = k_i, i < n,
//	V(q) = Σ_z V(qz)                    otherwise.
//
// Then V of the empty sequence is the maximum in ODP-E3. For a family of sets
// that are prefix-disjoint is a set of nodes of the tree of which none is below
// another; the best such set below q either is {q} itself or is put together
// from the best sets below q's four children. Without prefix-disjointness each
// level is by itself, and Σ over the level of max(0, a − e_i·b) is the i-th
// term of ODP-E4. [Exact] and [Enclose] compute both from one walk of the tree,
// in two arithmetics.
//
// Paper: V. Hartmann, V. Bindschaedler, A. Bentkamp, R. West, "Privacy
// accounting εconomics: Improving differential privacy composition via a
// posteriori bounds", PoPETs 2022. Names like ODP-T15 are statement IDs:
// D definition, L lemma, T theorem, A algorithm, E equation, X running text.
package exhaustive
