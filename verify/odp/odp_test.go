package odp

import (
	"testing"

	"checkrr/verify/register/registertest"
)

// notNamed are symbols that implement a part of a statement, or more than it says, and that its check does not
// call itself.
var notNamed = map[string][]string{
	"exhaustive.EvaluateRule":       {"ODP-E12"},
	"exhaustive.Pipeline":           {"ODP-A3"},
	"exhaustive.WorstAdversary":     {"ODP-A1"},
	"ledger.DPGuarantee":            {"ODP-D1"},
	"ledger.Guarantee":              {"ODP-D2"},
	"ledger.Guarantee.Worst":        {"ODP-L4"},
	"impl.LogRegWithTightTest":      {"ODP-T17"},
	"impl.LogisticErrorSensitivity": {"ODP-T16"},
	"impl.OptDel":                   {"ODP-E4"},
	"impl.Pipeline":                 {"ODP-A3"},
	"impl.RefusalAbove":             {"ODP-A5"},
	"impl.ReleaseLoss":              {"ODP-A5"},
	"impl.ReleaseTestScale":         {"ODP-A5"},
	"impl.SmallestIQRDelta":         {"ODP-D2"},
	"impl.SparseReleaseNoise":       {"ODP-X12"},
	"impl.SparseReleaseNoiseDP":     {"ODP-X12"},
	"ledger.WorstAdversary":         {"ODP-A1"},
	"spec.ReleaseTestScale":         {"ODP-A5"},
}

func TestRegister(t *testing.T) {
	t.Parallel()
	registertest.Run(t, Paper, notNamed)
}

func TestRuns(t *testing.T) {
	t.Parallel()
	registertest.Runs(t, Paper)
}
