package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/execution"
)

// delivery is a call from the queue. It implements [execution.Delivery].
type delivery struct {
	*queue.Delivery
	call execution.Call
}

// take runs a delivered call.
func (w *Worker) take(d *queue.Delivery) {
	own := &delivery{Delivery: d, call: callOf(d)}
	w.calls.Take(&own.call, own)
}

// callOf returns the call of a delivery.
func callOf(d *queue.Delivery) execution.Call {
	return execution.Call{
		ID: d.CallID, ToolCallID: d.ToolCallID, TraceID: d.TraceID, Traceparent: d.Traceparent,
		Tenant: d.Tenant, User: d.User, Agent: d.Agent, Conversation: d.Conversation,
		Tool: d.Tool, Pool: d.Pool, Lane: d.Lane, Origin: d.Origin, Via: d.Via,
		ConfirmToken: d.ConfirmToken, ConsentID: d.ConsentID, Arguments: json.RawMessage(d.Arguments),
		Accepted: d.Accepted(), StartBy: d.StartBy(), Deadline: d.Deadline(), Received: d.Taken(), Queued: d.Queued(),
		Timeout: time.Duration(d.TimeoutMS) * time.Millisecond, Attempt: d.Attempt, Moves: d.Moves, Copy: d.Again, Direct: d.Direct(),
		Waits: d.Waits, Grouped: d.Grouped, Home: d.Envelope.Home, Rehomed: d.Rehomed,
	}
}

// LoadArguments implements [execution.Delivery].
func (d *delivery) LoadArguments(ctx context.Context) (json.RawMessage, error) {
	err := d.Delivery.LoadArguments(ctx)
	if errors.Is(err, natsio.ErrNoObject) {
		err = fmt.Errorf("%w: %w", execution.ErrGone, err)
	}
	return json.RawMessage(d.Arguments), err
}

// Rehome implements [execution.Delivery].
func (d *delivery) Rehome(h execution.Home) {
	d.Lane, d.Envelope.Home, d.Rehomed = h.Lane, h.Worker, h.Moved
}

// WaitLane implements [execution.Delivery].
func (d *delivery) WaitLane() string { return d.Delivery.Home() }
