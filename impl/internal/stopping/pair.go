package stopping

import (
	"context"
	"math/big"

	"checkrr/impl/loss"
)

// pair is what the search knows of a mechanism: a dominating pair (P, Q) of laws. For neighbouring databases, and
// whatever was released before, no law of its outputs is farther apart than the pair at any order of the hockey-stick
// divergence. A pair is [finite], or [points] of one whose losses are on no lattice.
type pair interface {
	// Largest returns the largest finite loss ln(P/Q), or slightly more; 0 if there is none.
	Largest() *big.Rat

	// Depths returns by how much the other losses are below the largest, exactly.
	Depths() []loss.Epsilon

	// Top returns a loss of so many mechanisms together that is exceeded with about the probability cut or less, and
	// more, if losses are not on any lattice; otherwise nil.
	Top(count int, cut, more float64) *big.Rat

	// Reach returns about the largest |loss|.
	Reach() float64

	// Deviation returns about the standard deviation of the loss.
	Deviation() float64

	// Width returns about how far apart the losses of so many mechanisms are, where atoms of a smaller mass than cut
	// are left out.
	Width(count int, cut float64) float64

	// LogMoment returns about ln E_P e^(λ·min(loss, most)), over finite losses.
	LogMoment(lambda, most float64) float64

	// Infinity returns the P-mass of an infinite loss, where Q = 0; above 0 if it is.
	Infinity() float64

	// PLD returns the law of the loss of so many mechanisms. Atoms of a smaller mass than cut, beside the
	// largest, may be left out. Losses that are on no lattice are put on multiples of unit.
	PLD(ctx context.Context, count int, cut, unit float64) (*pld, error)
}
