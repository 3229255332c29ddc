package client

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a client leaves goroutines behind after its Close.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
