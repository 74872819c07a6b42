// Package verify makes the rooms of this module disagree loudly, if they can.
//
// It has no code of its own, only tests. They compare the fast intervals of impl
// with the exact enumeration of exhaustive and with the literal formulas of spec,
// on random problems that mix smooth numbers with the edges of the domain; check
// laws that hold whatever the numbers are, and figures that were computed with many
// digits; and break the code of impl on purpose, to see that the checks notice.
//
//	go test ./verify                                       the usual amount
//	go test ./verify -short                                less
//	go test ./verify -run Counts -full -timeout 1h         11,000 random problems
//	go test ./verify -run OptDel_ -full -timeout 1h        300 pipelines with noise, 1,000 closed forms
//	go test ./verify -run 'Metamorphic|Recursion|Hints' -full -seed 1 -limit 20m -timeout 1h -v
//	                                                       large losses; other seeds on other cores
//	go test ./verify -run Control -mutants all -timeout 2h every deliberate defect
//	go test ./verify -run '^$' -fuzz Property -property Ways
//	                                                       one of the properties, for longer
package verify
