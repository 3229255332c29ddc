package tool

import (
	"context"
	"encoding/json"
)

// Middleware wraps every tool of a worker, for concerns common to all of them:
// counting, notifying, bounding, rewriting. Middlewares nest in the order in which they
// were given:
//
//	before(1) → before(2) → checks → tool → after(2) → after(1)
//
// Before runs when the tool is known and the agent is known to have it, before anything
// that judges the arguments: the arguments it returns are validated, shown to a person,
// authorized, executed and named by a token. It should return the same arguments for
// the same call each time, because a person's approval of other arguments does not
// count. After runs when there is an outcome, for each middleware whose Before let the
// call pass, even if the call was then refused. It does not run for a call that was
// parked or goes to another worker; that call passes through here again. Both must be
// quick and safe for concurrent use, and may see one call more than once: after a
// redelivery, or when a person approved it. A panic in either ends the call with an
// internal error.
type Middleware struct {
	// Name is used in messages and logs.
	Name string
	// Before may change the arguments or refuse the call. Nil arguments leave them
	// unchanged, a nil error lets the call pass. The call has no ports yet.
	Before func(ctx context.Context, call *Call, args json.RawMessage) (json.RawMessage, error)
	// After may change the outcome; exactly one of result and error is set.
	After func(ctx context.Context, call *Call, res Result, err error) (Result, error)
}
