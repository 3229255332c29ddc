package natsauth

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// shared is a Helve behind a server that was configured by this package, for
// the tenants acme and beta. Tests keep apart by call_id and user.
var shared *system

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	if testtime.SlowPackage("it tests a whole system with credentials for NATS") {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "natsauth")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if shared, err = start(dir); err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		_ = shared.stop()
		return 1
	}
	code = m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "drain:", err)
		code = 1
	}
	if lines := shared.logs.violations(); len(lines) > 0 {
		fmt.Fprintf(os.Stderr, "Helve's own processes were refused:\n%s\n", lines)
		code = 1
	}
	// nats.go's own: an object that is stored before its publisher's goroutine
	// first runs leaves that one waiting on a nil channel.
	const theirs = "github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"
	if err := goleak.Find(goleak.IgnoreTopFunction(theirs)); err != nil {
		fmt.Fprintln(os.Stderr, "leak:", err)
		code = 1
	}
	return code
}
