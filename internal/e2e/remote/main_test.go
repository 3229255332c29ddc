package remote

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/e2e/system"
	"github.com/helve-dev/helve/internal/upstream/upstreamtest"
)

// shared is the system of every test without special needs.
var shared *system.System

func TestMain(m *testing.M) {
	upstreamtest.Child()
	os.Exit(system.Main(m, &shared))
}
