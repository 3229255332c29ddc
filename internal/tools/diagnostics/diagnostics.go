// Package diagnostics holds tools that misbehave on request: operators' smoke
// tests, benchmarks and fault tests are built from them. They are off unless a
// worker is started with diagnostics, and no agent is offered them unasked.
//
// What each promises is in section 9 of the protocol. None of them does
// anything useful, and none protects the worker from what it was asked to do.
package diagnostics

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Diagnostics", "diagnostics")

// longest is how long a diagnostic call may be asked to take.
const longest = 10 * time.Minute

// sleep waits for ms milliseconds or for ctx to end, whichever is first.
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
