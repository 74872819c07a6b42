package papers

import (
	"testing"

	"checkrr/verify/register/registertest"
)

func TestMutants(t *testing.T) { registertest.Mutants(t, All) }
