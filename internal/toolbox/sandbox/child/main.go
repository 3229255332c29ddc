package child

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
)

// Argument is the first argument of a process that is a child.
const Argument = "helve-sandbox-child"

// confined is the second argument of a child that [confine.Reexec] has started again.
const confined = "confined"

// Main serves as a child if this process was started as one, and then exits. It must be the
// first call in main, or in TestMain.
func Main() {
	if len(os.Args) < 2 || os.Args[1] != Argument {
		return
	}
	var unconfined error
	if len(os.Args) < 3 || os.Args[2] != confined {
		unconfined = confine.Reexec([]string{os.Args[0], Argument, confined})
	}
	err := serveRuns(unconfined, os.NewFile(orders, "orders"), os.NewFile(answers, "answers"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

const (
	// Wall is the longest duration of a run.
	Wall = 30 * time.Second
	// ExitMemory is the exit code of a child whose run used too much memory.
	ExitMemory = 50
	// The descriptors of the frames.
	orders  = 3
	answers = 4
	// maxStack is the size of the Go stack at which a child ends.
	maxStack = 32 << 20
	// garbage is the percentage of live memory that may accumulate as garbage before a
	// collection: a child has little live memory, and the watchdog bounds both.
	garbage = 500
	// backtrack is the memory a regular expression may use for backtracking, 32 MB, before
	// it stops and, wrongly, finds nothing.
	backtrack = 4 << 20
)

var errOrphan = errors.New(Argument + ": only a worker starts this")

// serveRuns locks the process down and runs the jobs it receives, until the pool closes the
// stream of orders. Unconfined is the reason if it cannot be locked down.
func serveRuns(unconfined error, in, out *os.File) error {
	c := &runner{inbox: inbox{in: wire.NewReader(in)}, programs: map[uint64]*compiled{}}
	c.host = newHost(wire.NewWriter(out), &c.inbox)
	first, err := c.inbox.in.Read()
	if err != nil || first.Setup == nil {
		return errOrphan
	}
	if unconfined != nil {
		return c.host.out.Write(wire.Frame{Hello: &wire.Hello{Error: unconfined.Error()}})
	}
	debug.SetMaxStack(maxStack)
	debug.SetGCPercent(garbage)
	js.TuneRegexp(backtrack, Wall)
	c.watchdog = newWatchdog(first.Setup.Memory)
	c.host.watch = c.watchdog
	time.Local = time.UTC //nolint:gosmopolitan // programs give the same answers on all machines
	if err := confine.Apply(confine.Script{
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

// addressSpace returns the bytes that a child may map beyond its present ones. The
// collector needs room beside the live memory, and one allocation beyond the limit must
// fail.
func addressSpace(memory int64) uint64 { return uint64(2*memory + 28<<20) }
