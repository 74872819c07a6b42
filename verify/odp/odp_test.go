package odp

import (
	"slices"
	"testing"

	"checkrr/verify/register/registertest"
)

// notNamed are symbols that implement a part of a statement, or more than it says, and that its check does not
// call itself.
var notNamed = map[string][]string{
	"exhaustive.EvaluateRule":          {"ODP-E12"},
	"exhaustive.Pipeline":              {"ODP-A3"},
	"exhaustive.WorstAdversary":        {"ODP-A1"},
	"impl.DPGuarantee":                 {"ODP-D1"},
	"impl.DesignSchedule":              {"ODP-E4", "ODP-T15"},
	"impl.DiscretizedIQR":              {"ODP-X16"},
	"impl.Exact":                       {"ODP-E4"},
	"impl.Guarantee":                   {"ODP-D2"},
	"impl.Guarantee.Worst":             {"ODP-L4"},
	"impl.IQRBottom":                   {"ODP-X16"},
	"impl.IQRDistance":                 {"ODP-X16"},
	"impl.IQRLaw.AtMost":               {"ODP-X16"},
	"impl.LawOfDiscretizedIQR":         {"ODP-X16"},
	"impl.Lemma11":                     {"ODP-E4", "ODP-L11"},
	"impl.LogRegWithTightTest":         {"ODP-A5", "ODP-T17"},
	"impl.LogisticErrorSensitivity":    {"ODP-T16"},
	"impl.NewSparseVectorLaw":          {"ODP-A2"},
	"impl.OptDel":                      {"ODP-E4"},
	"impl.PTR":                         {"ODP-D9"},
	"impl.Pipeline":                    {"ODP-A3"},
	"impl.RefusalAbove":                {"ODP-A5"},
	"impl.ReleaseLoss":                 {"ODP-A5"},
	"impl.ReleaseTestScale":            {"ODP-A5"},
	"impl.SampleIQR":                   {"ODP-X16"},
	"impl.SmallestIQRDelta":            {"ODP-D2"},
	"impl.SparseReleaseNoise":          {"ODP-X12"},
	"impl.SparseReleaseNoiseDP":        {"ODP-X12"},
	"impl.SparseVectorLaw.Given":       {"ODP-E1", "ODP-L8"},
	"impl.SparseVectorLaw.Probability": {"ODP-L8"},
	"impl.WorstAdversary":              {"ODP-A1"},
	"spec.DiscretizedIQR":              {"ODP-X16"},
	"spec.IQRDistance":                 {"ODP-X16"},
	"spec.PTR":                         {"ODP-D9"},
	"spec.PTR.Pr":                      {"ODP-D9"},
	"spec.ReleaseTestScale":            {"ODP-A5"},
	"spec.ResponseLaw":                 {"ODP-T15"},
	"spec.SampleIQR":                   {"ODP-X16"},
}

func TestRegister(t *testing.T) { registertest.Run(t, Paper, notNamed) }

// notRun are symbols that an entry names and its check does not run.
var notRun = map[string]map[string]string{}

func TestRuns(t *testing.T) { registertest.Runs(t, Paper, notRun) }

func TestMutants(t *testing.T) {
	registertest.Mutants(t, Paper, slices.Concat(compositionMutants, iterateMutants, ptrMutants, ermMutants))
}
