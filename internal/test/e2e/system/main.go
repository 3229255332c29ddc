package system

import (
	"flag"
	"fmt"
	"os"

	"go.uber.org/goleak"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/worker"
	"github.com/helve-dev/helve/worker/parts"
)

// Main runs the tests of a package and returns the exit code of the test binary. If shared
// is not nil it first starts the system of the tests without special needs: two dispatchers
// and two workers, on which tests are separated by tenant, with the groups of tools that are
// switched on. It fails if a system does not
// drain, or if a goroutine is left. With -short it starts nothing and leaves out every test.
func Main(m Tests, shared **System, groups ...string) (code int) {
	worker.Child(parts.All()...)
	flag.Parse() // the timeout of the binary bounds the waits
	if testtime.SlowPackage("it tests whole systems") || shared == nil {
		return max(m.Run(), leaks())
	}
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	*shared, err = Start(dir, Plan{Dispatchers: 2, Workers: 2, Groups: groups, Config: func(c *config.Config) {
		c.Remote.Tools = []string{"free.*=low"} // others of medium risk are parked before they act
	}})
	if err == nil {
		code = m.Run()
	} else {
		code = 1
		fmt.Fprintln(os.Stderr, "the shared system did not start:", err)
	}
	if err := (*shared).Stop(); err != nil {
		code = 1
		fmt.Fprintln(os.Stderr, "the shared system did not drain:", err)
	}
	return max(code, leaks())
}

// Tests are the tests of a package, as [testing.M].
type Tests interface{ Run() (code int) }

// leaks returns 1 if a goroutine is left. Every system of every test has drained by now. The
// one excluded goroutine is nats.go's own: if an object is stored before its publisher's
// goroutine first runs, that goroutine waits on a nil channel.
func leaks() int {
	const theirs = "github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"
	if err := goleak.Find(goleak.IgnoreTopFunction(theirs), goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")); err != nil {
		fmt.Fprintln(os.Stderr, "leak:", err)
		return 1
	}
	return 0
}
