package audit

import "checkrr/impl"

// Law is what is known for certain about the output laws of a mechanism on two
// neighbouring inputs: intervals that contain the probabilities of some disjoint events.
type Law struct {
	Inputs [2]string // as they are shown
	Cells  []Cell
	// Complete is set if the cells decide: they are all outputs, and on each of them
	// the likelihood ratio is constant.
	Complete bool
}

// Cell is an event, all of it in one part of the claim.
type Cell struct {
	Name string // as it is shown
	Part int    // its index in the claim
	P    [2]impl.Interval
}
