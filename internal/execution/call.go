package execution

import (
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Call is a call as the queue delivered it.
type Call struct {
	ID, ToolCallID, TraceID, Traceparent  string
	Tenant, User, Agent, Conversation     string
	Tool, Pool, Lane, Origin, Via         string
	ConfirmToken, ConsentID               string
	Arguments                             json.RawMessage
	Accepted, StartBy, Deadline, Received time.Time
	// Queued is when the call began to wait for a worker: when it was accepted, or when a
	// person let it go on.
	Queued  time.Time
	Timeout time.Duration
	// Attempt is the number of the delivery, from 1; Moves counts its moves between lanes.
	Attempt, Moves int
	// Copy is set if an earlier message of the call may have been delivered.
	Copy bool
	// GivenUp is the end of a call that was begun too often, unless an earlier attempt
	// has committed it.
	GivenUp *tool.Error
	// Direct is set if the call is in no queue: it was handed to this worker, must change
	// nothing here, and a dispatcher queues it if it is returned or moved.
	Direct bool
	// Waits is set if the call waits for a worker that has its tool.
	Waits bool
	// Grouped is set if the dispatcher reads groups of results.
	Grouped bool
	// Home is the worker that the user is bound to; Rehomed is set if files of another
	// worker may be missing there.
	Home    string
	Rehomed bool
}

// redelivered reports whether an earlier attempt may have started the call.
func (c *Call) redelivered() bool { return c.Attempt > 1 || c.Copy }

func (c *Call) owner() *protocol.Owner { return &protocol.Owner{User: c.User, Agent: c.Agent} }

// trace returns the W3C parent of the call, or its bare trace id.
func (c *Call) trace() string {
	if c.Traceparent != "" {
		return c.Traceparent
	}
	return c.TraceID
}
