package program

import (
	"time"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// resultLost reports whether a program has ended with a result that is too large to be kept beside
// it, so that only the results have it. A worker that died before it stored that has the call
// delivered again: its code then runs once more, only from the journal, and returns the same.
func resultLost(p *durable.Program) bool {
	return p.State == durable.Done && p.Status == protocol.StatusSuccess && p.Result == nil
}

// lastOf returns the time until which a turn of a program may run.
func lastOf(p *durable.Program) time.Time {
	if now := time.Now(); p.State == durable.Done && now.After(p.Deadline()) {
		return now
	}
	return p.Deadline()
}

// notAgain is the end of code that goes on beyond the journal of a program that has ended.
func notAgain() *tool.Error {
	return tool.Fail(tool.ExecutionError,
		"the program has ended, and its result is lost: its code did something else when it ran again; what it calls may depend only on "+
			"its input and its calls' results")
}
