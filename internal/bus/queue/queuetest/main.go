package queuetest

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// theirs is a goroutine of nats.go that waits on a nil channel if an object is stored
// before the goroutine first runs.
const theirs = "github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"

// Main is the TestMain of a package whose tests wait for a server more than they compute: four of
// them run concurrently, and none leaves a goroutine behind.
func Main(m *testing.M) {
	flag.Parse()
	if err := SideBySide(4); err != nil {
		panic(err) // not for a command line that the flag package has read
	}
	Verify(m)
}

// Verify is goleak.VerifyTestMain for a package whose tests connect to a server.
func Verify(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(theirs)) }
