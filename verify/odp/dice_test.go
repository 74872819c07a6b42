package odp

import "pgregory.net/rapid"

// rolls is a Dice of rapid.
type rolls struct{ *rapid.T }

func (r rolls) Roll(n int) int { return rapid.IntRange(0, n-1).Draw(r.T, "roll") }
