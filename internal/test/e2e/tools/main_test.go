package tools

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/toolbox/upstream/upstreamtest"
)

// shared is the system of every test without special needs.
var shared *system.System

func TestMain(m *testing.M) {
	upstreamtest.Child()
	os.Exit(system.Main(m, &shared, "audio", "cliTools", "codeExecution", "codingAgents", "git", "pdf", "shell", "webFetch"))
}
