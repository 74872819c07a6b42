// Package ledger keeps what is spent of a privacy budget.
//
// [NewBudget] is the budget most programs want: it admits a mechanism if its ε and δ fit beside what was spent
// ([SumFilter]). [ODPFilter] and [VarianceFilter] admit more where there are many small mechanisms. Each of them runs
// as a [FilterRun]: Reserve before a mechanism runs, Commit with the part of its outputs that was observed. An
// [Odometer] refuses nothing, and says at any time what is spent. A partition is a part of the data of its own: what
// is spent on disjoint ones does not add up. States ([FilterState], [OdometerState]) outlive a program.
//
// What does not fit into a budget is a [*NotAdmittedError]; a state that is damaged, or of another rule, is a
// [*StateError].
//
// [ChallengeFilter], [ChallengeODPFilter], [ChallengeOdometer] and [ChallengeODPOdometer] find the worst adversary of
// such a rule, and so check it.
package ledger
