package execution

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// execute passes a call through the engine and returns the state that its outcome asks for.
func (x *Executor) execute(ctx context.Context, r *run) state {
	c := r.call
	started := x.publishStarted(c)
	ctx, span := x.Tracing.StartCall(ctx, c.trace(), telemetry.CallSpan{
		Tool: c.Tool, CallID: c.ID, ToolCallID: c.ToolCallID, Tenant: c.Tenant, Pool: c.Pool, Worker: x.Worker, Attempt: c.Attempt,
	})
	if c.Traceparent != "" {
		x.Tracing.Past(ctx, c.Traceparent, "queue", c.Queued, c.Received)
	}
	r.span = span
	j := x.job(r, started)
	j.SpanID = telemetry.SpanID(span)
	out := x.engine.Execute(ctx, j)
	telemetry.EndCall(span, ErrorType(&out))
	started()
	switch {
	case out.Control == nil:
		return x.conclude(r, j, &out)
	case errors.Is(out.Control, engine.ErrParked):
		return settled
	case errors.Is(out.Control, engine.ErrAlreadyFinished):
		return x.alreadyFinished(r)
	case errors.Is(out.Control, engine.ErrRunningElsewhere):
		return left
	case errors.Is(out.Control, engine.ErrLacking):
		return x.handOver(ctx, r)
	case errors.Is(out.Control, engine.ErrCrowded):
		return x.waitElsewhere(r, out.Control)
	default:
		return returned
	}
}

// ErrorType returns the error type of an outcome, empty for a success.
func ErrorType(out *engine.Outcome) string {
	if out.Err == nil {
		return ""
	}
	return string(out.Err.Kind)
}

// job returns the call as the engine runs it.
func (x *Executor) job(r *run, started func()) *engine.Job {
	c := r.call
	j := &engine.Job{
		Via: c.Via, RerunOf: c.RerunOf,
		Call: tool.Call{
			ID: c.ID, TraceID: c.TraceID, Tenant: c.Tenant, User: c.User, Agent: c.Agent, Conversation: c.Conversation,
			Toolset: c.Toolset,
			Attempt: c.Attempt, Deadline: c.Deadline(), Events: eventEmitter{x.Events, c, started},
		},
		Name: c.Tool, Args: json.RawMessage(c.Arguments), Timeout: c.Timeout(),
		Accepted: c.Accepted(), Queued: max(time.Since(c.Accepted()), 0), Redelivered: c.redelivered(), GivenUp: c.GivenUp, Token: c.ConfirmToken,
		Granted:  c.ConsentID != "",
		Programs: c.ProgramRuns(),
		Key:      c.Program, Wake: c.Wake, Timezone: c.Timezone, FreeSlot: r.free,
		Direct: c.Direct, Bound: c.Home == x.Worker, Rehomed: c.Rehomed && c.Home == x.Worker,
	}
	if c.Parent != "" {
		j.Step = &protocol.ConsentProgram{CallID: c.Parent, Line: c.Line, Step: c.Step}
	}
	if time.Now().After(c.StartBy()) {
		j.Deadline = c.StartBy() // the call waited too long: the engine ends it
	}
	return j
}
