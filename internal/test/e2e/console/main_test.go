package console

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// shared is a system without authentication.
var shared *system.System

func TestMain(m *testing.M) {
	os.Exit(system.Main(m, &shared))
}
