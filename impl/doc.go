// Package impl computes privacy guarantees fast, inside certified intervals.
//
// [OptDel] is the smallest δ of a [Pipeline] that may stop early, [DesignSchedule] what its stops may be
// charged for a given δ, [DesignNoise] how much noise that needs, and [OptComp] the ε of one that does not stop early.
// Budgets are kept by checkrr/impl/ledger, the best of many runs is chosen by checkrr/impl/selection, and randomness
// comes from checkrr/impl/noise. The mechanisms and formulas of the papers are functions of the same names as in
// package spec.
//
// Parameters are exact: Nats of package checkrr/impl/loss makes ε of a rational number, and Exp of e^ε.
// Results are intervals (checkrr/impl/interval) that contain the real number that the definition gives for
// exactly these parameters; a δ to publish is the upper end, Float().Hi as a float64. Float64 does the work and
// its rounding is bounded by analysis; where it cannot reach the requested width the same recursion runs in
// [math/big.Float] with directed rounding.
//
// Functions that may take long take a context. Errors say what is wrong and which rule it breaks; programs may
// want to look at [InputError] and [DeltaError].
package impl
