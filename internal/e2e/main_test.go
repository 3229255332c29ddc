package e2e

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/helve-dev/helve/internal/upstream/upstreamtest"
	"github.com/helve-dev/helve/worker"
)

// shared serves every test that needs nothing special: two dispatchers and two
// workers. Tests keep apart by tenant.
var shared *system

func TestMain(m *testing.M) {
	worker.Child()
	upstreamtest.Child()
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if shared, err = start(dir, plan{dispatchers: 2, workers: 2}); err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		_ = shared.stop()
		return 1
	}
	code = m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "drain:", err)
		code = 1
	}
	// Every system of every test has drained by now. The one goroutine that is
	// let pass is nats.go's own: an object that is stored before its publisher's
	// goroutine first runs leaves that one waiting on a nil channel.
	const theirs = "github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"
	if err := goleak.Find(goleak.IgnoreTopFunction(theirs), goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")); err != nil {
		fmt.Fprintln(os.Stderr, "leak:", err)
		code = 1
	}
	return code
}
