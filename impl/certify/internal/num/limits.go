package num

import "fmt"

// MaxNode bounds the nodes of a lattice.
const MaxNode = 1 << 30

// MaxWindow is the largest number of nodes of a pass at one place.
const MaxWindow = 1 << 25

// ErrWindow is the error of a lattice on which there would be too many nodes.
var ErrWindow = fmt.Errorf("more than %d nodes at one place", MaxWindow)

// Tiny are masses that all nodes have behind a run. P1-masses, times e^loss, need them: what is lost of those
// where they are too small for float64 may grow again from run to run, and is less than that; P0-masses may
// lose it.
var Tiny = [2]float64{0, 0x1p-960}
