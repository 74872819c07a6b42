package finite

// Tape is noise that was drawn beforehand: it plays the draws, over and over. Programs that should do the same can
// be run on the same draws.
type Tape struct {
	Draws  []float64 // for scale 1
	Scales []float64 // what was asked for, draw by draw
}

// Laplace returns the next draw.
func (t *Tape) Laplace(scale float64) float64 {
	t.Scales = append(t.Scales, scale)
	return scale * t.Draws[(len(t.Scales)-1)%len(t.Draws)]
}

// Gauss returns the next draw.
func (t *Tape) Gauss(sigma float64) float64 { return t.Laplace(sigma) }
