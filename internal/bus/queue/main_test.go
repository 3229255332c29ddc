package queue_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// theirs is a goroutine of nats.go that waits on a nil channel if an object is stored
// before the goroutine first runs.
const theirs = "github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := queuetest.SideBySide(4); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(theirs))
}
