package inside

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/sandbox/lockdown"
	"github.com/helve-dev/helve/internal/sandbox/wire"
)

// Argument is the first argument of a process that is a child.
const Argument = "helve-sandbox-child"

// Child serves as a child if this process was started as one, and then ends it.
// It must be the first thing that main, or TestMain, does.
func Child() {
	if len(os.Args) < 2 || os.Args[1] != Argument {
		return
	}
	err := serveRuns(os.NewFile(orders, "orders"), os.NewFile(answers, "answers"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // the process is a child and nothing else
	}
	os.Exit(0) //nolint:forbidigo // its pool has gone
}

const (
	// Wall is the longest that a run may take.
	Wall = 30 * time.Second
	// ExitMemory is how a child ends itself when a run took too much memory.
	ExitMemory = 50
	// The descriptors of the frames.
	orders  = 3
	answers = 4
	// maxStack ends a child whose Go stack a script has driven that deep.
	maxStack = 32 << 20
	// garbage is how much of it, in percent of what lives, the collector lets gather:
	// little lives in a child, and the watchdog bounds both.
	garbage = 500
	// backtrack is how far a regular expression may backtrack before it gives up
	// and, wrongly, finds nothing: 32 MB.
	backtrack = 4 << 20
)

var errOrphan = errors.New(Argument + ": only a worker starts this")

// serveRuns locks the process down and runs what it is sent, until the pool
// closes the stream of its orders.
func serveRuns(in, out *os.File) error {
	c := &cage{inbox: inbox{in: wire.NewReader(in)}, programs: map[uint64]compiled{}}
	c.host = newHost(wire.NewWriter(out), &c.inbox)
	first, err := c.inbox.in.Read()
	if err != nil || first.Setup == nil {
		return errOrphan
	}
	debug.SetMaxStack(maxStack)
	debug.SetGCPercent(garbage)
	js.TuneRegexp(backtrack, Wall)
	c.watchdog = newWatchdog(first.Setup.Memory)
	if err := lockdown.Apply(lockdown.Options{
		AddressSpace: addressSpace(first.Setup.Memory),
		CPUSeconds:   first.Setup.CPUSeconds,
		Keep:         []int{orders, answers},
	}); err != nil {
		return c.host.out.Write(wire.Frame{Hello: &wire.Hello{Error: err.Error()}})
	}
	if err := c.host.out.Write(wire.Frame{Hello: &wire.Hello{}}); err != nil {
		return err
	}
	return c.work()
}

// addressSpace is how much a child may map beyond what it has. The collector
// needs room beside what lives, and one allocation beyond the limit must fail.
func addressSpace(memory int64) uint64 { return uint64(2*memory + 28<<20) }
