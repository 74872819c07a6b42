package own

import (
	"testing"

	"checkrr/verify/register"
	"checkrr/verify/register/registertest"
)

func TestRegister(t *testing.T) { registertest.Run(t, Paper, nil) }

func TestRuns(t *testing.T) { registertest.Runs(t, Paper) }

func TestMutants(t *testing.T) { registertest.Mutants(t, []register.Paper{Paper}) }
