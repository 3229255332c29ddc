package bus_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/helve-dev/helve/internal/bus/bustest"
)

// An object that is stored before its publisher's goroutine first runs leaves that
// one, which is nats.go's own, waiting on a nil channel.
const theirs = "github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := bustest.SideBySide(4); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(theirs))
}
