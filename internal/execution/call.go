package execution

import (
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/tool"
)

// Call is a call as the queue delivered it.
type Call struct {
	*call.Call
	// Received is when this worker received the call, Queued when the call began to wait for
	// a worker: when it was accepted, or when a person let it go on.
	Received, Queued time.Time
	// Attempt is the number of the delivery, from 1.
	Attempt int
	// GivenUp is the end of a call that was begun too often, unless an earlier attempt
	// has committed it.
	GivenUp *tool.Error
	// Direct is set if the call is in no queue: it was handed to this worker, must change
	// nothing here, and a dispatcher queues it if it is returned or moved.
	Direct bool
}

// redelivered reports whether an earlier attempt may have started the call.
func (c *Call) redelivered() bool { return c.Attempt > 1 || c.Copy }

// trace returns the W3C parent of the call, or its bare trace id.
func (c *Call) trace() string {
	if c.Traceparent != "" {
		return c.Traceparent
	}
	return c.TraceID
}
