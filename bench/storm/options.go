package storm

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

// Options configures a run.
type Options struct {
	// Broker returns the command line of a NATS server that keeps its data in dir and
	// listens on addr; Dispatcher and Worker are the beginnings of theirs. routes are
	// those of a server in a cluster, its own first.
	Broker             func(addr, dir string, routes []string) []string
	Dispatcher, Worker []string
	// Process is called for every command; it may be nil.
	Process *syscall.SysProcAttr

	// Nodes is the number of NATS servers, 1 if 0; with more, streams have as many
	// copies and one server is killed at a time.
	Nodes int
	Calls int
	Kills int
	// Notes is the percentage of calls that add a note to the store of personal data.
	Notes   int
	Callers int // 32 if 0
	Seed    uint64
	// Log receives a line for each fault; it may be nil.
	Log io.Writer
}

const (
	maxCalls    = 10_000_000
	maxKills    = 10_000
	manyCallers = 1_000
	dispatchers = 2
	workers     = 3
)

// Check returns the first problem of the options.
func (o Options) Check() error {
	switch {
	case o.Calls < 1 || o.Calls > maxCalls:
		return fmt.Errorf("calls must be 1 to %d, not %d", maxCalls, o.Calls)
	case o.Kills < 0 || o.Kills > maxKills:
		return fmt.Errorf("kills must be 0 to %d, not %d", maxKills, o.Kills)
	case o.Notes < 0 || o.Notes > 100:
		return fmt.Errorf("notes must be 0 to 100 percent, not %d", o.Notes)
	case o.Callers < 0 || o.Callers > manyCallers:
		return fmt.Errorf("callers must be 1 to %d, or 0 for the usual number", manyCallers)
	case o.Nodes != 0 && o.Nodes != 1 && o.Nodes != 3:
		return fmt.Errorf("nodes must be 1 or 3, not %d", o.Nodes)
	case o.Broker == nil || len(o.Dispatcher) == 0 || len(o.Worker) == 0:
		return errors.New("name the commands of the server, the dispatcher and the worker")
	}
	return nil
}

// limit limits a whole run on a slow machine.
func (o Options) limit() time.Duration {
	return 5*time.Minute + time.Duration(o.Calls)*20*time.Millisecond + time.Duration(o.Kills)*30*time.Second
}

func (o Options) logf(format string, args ...any) {
	if o.Log != nil {
		fmt.Fprintf(o.Log, format+"\n", args...)
	}
}
