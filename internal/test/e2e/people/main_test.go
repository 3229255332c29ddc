package people

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// shared is the system of every test without special needs.
var shared *system.System

func TestMain(m *testing.M) {
	os.Exit(system.Main(m, &shared, "webFetch"))
}
