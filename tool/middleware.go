package tool

import (
	"context"
	"encoding/json"
)

// Middleware stands around every tool of a worker, for what concerns all of them:
// counting, telling somebody, bounding, rewriting. Those of a worker stand in one
// another in the order they were given:
//
//	before(1) → before(2) → checks → tool → after(2) → after(1)
//
// Before comes when it is known which tool is called and that the agent may have
// it, and ahead of everything that judges the arguments: what Before returns is
// what is validated, shown to a person, allowed and run, and what a token must
// name. So it should make the same of the same call each time: a person's yes to
// other arguments does not count. After comes when there is an outcome, for each
// middleware whose Before let the call pass, also if the call was then refused; it
// does not come for a call that was parked or goes to another worker, which will be
// here again. Both must be quick and safe for concurrent use, and may see one call
// more than once: when it was delivered again, or when a person let it go on. A
// panic in one ends the call with an internal error.
type Middleware struct {
	// Name is for messages and logs.
	Name string
	// Before may change the arguments or refuse the call. Nil arguments leave them as
	// they are, a nil error lets the call pass. Of the ports the call has none yet.
	Before func(ctx context.Context, call *Call, args json.RawMessage) (json.RawMessage, error)
	// After may change the outcome; exactly one of result and error counts.
	After func(ctx context.Context, call *Call, res Result, err error) (Result, error)
}
