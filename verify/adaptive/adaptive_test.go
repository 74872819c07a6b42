package adaptive

import (
	"testing"

	"checkrr/verify/register/registertest"
)

// notNamed are symbols that implement a part of a statement, or more than it says, and that its check does not
// call itself.
var notNamed = map[string][]string{
	"ledger.NewZCDPFilter":     {"FAC-L1"},
	"ledger.ChallengeFilter":   {"FAC-L11"},
	"ledger.ChallengeOdometer": {"FAC-X28"},
	"ledger.Odometer":          {"FAC-X32"},
}

func TestRegister(t *testing.T) {
	t.Parallel()
	registertest.Run(t, Paper, notNamed)
}

func TestRuns(t *testing.T) {
	t.Parallel()
	registertest.Runs(t, Paper, nil)
}
