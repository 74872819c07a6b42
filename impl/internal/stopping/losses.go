package stopping

import (
	"math/big"
	"sync"

	"checkrr/impl/certify"
)

// points is a pair whose losses are on no lattice, by some of them. What is known of it here is about right; package
// certify has it with certainty.
type points struct {
	mechanism certify.Mechanism
	list      func() (losses, masses []float64) // under P; many are never asked for
	logs      []float64                         // of masses, once there are moments
	moments   map[[2]float64]float64
	// the largest finite loss, or slightly more; nil if there is none, or one that is as good as infinite
	most *big.Rat
}

// Mechanism returns the pair in the words of the checker.
func (a *points) Mechanism() certify.Mechanism { return a.mechanism }

// isContinuous reports whether the losses of a pair are on no lattice.
func isContinuous(p Pair) bool {
	switch p.(type) {
	case *Additive, *Losses:
		return true
	}
	return false
}

// mostFinite is the loss from which on one is as good as infinite.
const mostFinite = 500

// pointsOf returns m with the points that list has.
func pointsOf(m certify.Mechanism, list func() (losses, masses []float64)) points {
	p := points{mechanism: m, list: sync.OnceValues(list), most: m.Most()}
	if p.most != nil && p.most.Cmp(big.NewRat(mostFinite, 1)) > 0 {
		p.most = nil
	}
	return p
}

// Losses is the pair of a mechanism that is given by the law of its loss.
type Losses struct{ points }

// mostPoints bounds the losses of which moments are computed.
const mostPoints = 1 << 12

// NewLosses returns the pair.
func NewLosses(l *certify.Losses) *Losses {
	return &Losses{pointsOf(certify.Mechanism{Losses: l}, func() (losses, masses []float64) { return l.About(mostPoints) })}
}

// Deviation returns about the standard deviation of the loss, or a little where there is none to speak of, as of one
// loss.
func (l *Losses) Deviation() float64 { return max(l.points.Deviation(), 1e-6) }

// Infinity returns the P-mass where Q = 0, or a little more.
func (l *Losses) Infinity() float64 { return l.mechanism.Losses.Infinity() }
