package noise

import "flag"

var full = flag.Bool("full", false, "all kinds of noise, and more random laws: ten seconds more")

// atLeast returns n, or with -full another number.
func atLeast(n, all int) int {
	if *full {
		return all
	}
	return n
}
