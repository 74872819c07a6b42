// Package spec transcribes the papers literally: definitions, algorithms and
// formulas as they are printed, over finite output sets and exact rationals.
//
// It is written to be checked by eye. Somebody who holds the paper in one hand
// can hold a function of this package in the other. There is no caching, no
// concurrency and no rearrangement of what is printed; a search ends where it has found
// what it looks for, and no earlier. The cost is accordingly exponential or worse. A function
// that returns an error refuses what is outside its domain, and what it cannot finish; a formula
// that returns none has the domain that its comment states, and means nothing outside.
//
// Where a statement permits, numbers are [math/big.Rat] and an ε enters as the rational
// number e^ε, so that nothing is rounded. Mechanisms that draw from real distributions,
// and formulas over the reals, are plain float64.
//
// Papers: V. Hartmann, V. Bindschaedler, A. Bentkamp, R. West, "Privacy
// accounting εconomics: Improving differential privacy composition via a
// posteriori bounds", PoPETs 2022 (ODP); J. Whitehouse, A. Ramdas, R. Rogers, Z. S. Wu,
// "Fully-Adaptive Composition in Differential Privacy", ICML 2023 (FAC). Names like
// ODP-T15 are statement IDs: D definition, L lemma, T theorem, A algorithm, E equation,
// X running text.
package spec
