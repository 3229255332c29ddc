package tool

import (
	"context"
	"encoding/json"
	"time"
)

// Schedules has the scheduled tasks of the call's person run. The tasks themselves are in
// the store. Errors are [*Error].
type Schedules interface {
	// Check returns the definition of a tool that the call's agent may call, or the error
	// with which a call of it would end because of its name or arguments.
	Check(ctx context.Context, name string, args json.RawMessage) (*Definition, error)
	// LookAt has a task looked at, at a time or soon if it is past. It returns when that is
	// certain, whether or not the call succeeds. To look at a task that has nothing to do,
	// or is not there, has no effect. A time may come before the changes of this call are
	// committed.
	LookAt(ctx context.Context, id string, at time.Time) error
}
