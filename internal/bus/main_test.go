package bus_test

import (
	"testing"

	"go.uber.org/goleak"
)

// An object that is stored before its publisher's goroutine first runs leaves that
// one, which is nats.go's own, waiting on a nil channel.
const theirs = "github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(theirs)) }
