package noise

import "checkrr/impl/certify/internal/num"

// Finite is a mechanism with finitely many losses.
type Finite struct {
	lossLaw
	key string
}

// NewFinite returns the mechanism with these outputs, by rising loss, and the P-mass where Q = 0. The key is the same
// for the same mechanisms only.
func NewFinite(key string, atoms []Atom, infinity num.Span) *Finite {
	f := &Finite{lossLaw{infinity: infinity}, key}
	for _, a := range atoms {
		f.add(a)
	}
	return f
}

// Fault implements [Continuous].
func (f *Finite) Fault() string { return "" }

// Key implements [Continuous].
func (f *Finite) Key() string { return f.key }
