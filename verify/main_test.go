package verify

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes random searches short: 25 tries each, or as many as -rapid.checks says; with -full it is rapid's own number.
func TestMain(m *testing.M) {
	tries := flag.Lookup("rapid.checks").Value
	own := tries.String()
	if err := tries.Set("25"); err != nil {
		panic(err)
	}
	flag.Parse()
	if *full && tries.String() == "25" {
		_ = tries.Set(own)
	}
	os.Exit(m.Run())
}
