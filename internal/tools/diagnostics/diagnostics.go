// Package diagnostics holds tools that misbehave on request. Operators' smoke tests,
// benchmarks and fault tests use them. They are disabled unless a worker is started
// with diagnostics, and offered only to agents whose record names them.
//
// Section 9 of docs/protocol.md lists them. None of them does anything useful, and none
// protects the worker from the requested fault.
package diagnostics

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Diagnostics", "diagnostics")

// longest is the maximum time that a diagnostic call may request.
const longest = 10 * time.Minute

// sleep waits for ms milliseconds or until ctx ends, whichever comes first.
func sleep(ctx context.Context, ms int) error {
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
