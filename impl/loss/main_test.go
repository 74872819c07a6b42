package loss_test

import (
	"testing"

	"checkrr/impl/internal/testkit"
)

func TestMain(m *testing.M) { testkit.RunAll(m) }
