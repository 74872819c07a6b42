package impl

import (
	"checkrr/impl/internal/testkit"
	"testing"
)

func TestMain(m *testing.M) { testkit.RunAll(m) }
