package odp

import (
	"testing"

	"checkrr/verify/register/registertest"
)

func TestRegister(t *testing.T) { registertest.Run(t, Paper) }
