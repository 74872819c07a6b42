package verify

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

var full = flag.Bool("full", false,
	"compare on 11,000 small problems, solve 100,000 large ones in many ways, and 10,000 with the recursion")

// TestMain makes random searches short: 20 tries each, or as many as -rapid.checks says; with -full it is rapid's own
// number. It lets the heap grow to five times what is in use: collecting what tests leave behind is a quarter of the
// time otherwise.
func TestMain(m *testing.M) {
	tries := flag.Lookup("rapid.checks").Value
	own := tries.String()
	if err := tries.Set("20"); err != nil {
		panic(err)
	}
	flag.Parse()
	if *full && tries.String() == "20" {
		_ = tries.Set(own)
	}
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// amount returns how many problems a test takes: with -full, all.
func amount(usual, all int) int {
	switch {
	case *full:
		return all
	case testing.Short():
		return (usual + 3) / 4
	}
	return usual
}
