package basics

import (
	"testing"

	"checkrr/verify/register/registertest"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	registertest.Run(t, Paper, nil)
}

func TestRuns(t *testing.T) {
	t.Parallel()
	registertest.Runs(t, Paper)
}
