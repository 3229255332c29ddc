package dispatcher

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/internal/upstream/pins"
	"github.com/helve-dev/helve/tool"
)

// admit refuses what no worker could run, before it costs anything.
func (d *Dispatcher) admit(req *Request, call *Call) (*tool.Definition, *tool.Error) {
	if call.Problem != nil {
		return nil, call.Problem
	}
	tools := d.Catalog.Of(req.Tenant).In(req.Conversation)
	def, ok := tools.Lookup(call.Tool)
	if !ok {
		return nil, tool.Fail(tool.ToolNotFound, "Tool '%s' not found", call.Tool)
	}
	if def.Kind == tool.KindRemote && !def.Enabled {
		return def, tool.Fail(tool.ToolNotAvailable, "Tool '%s' is not available: no process that runs it was heard of lately; try again later, or tell the operator", call.Tool)
	}
	if def.Kind == tool.KindMCP && !def.Enabled {
		return def, pins.Withheld(def.Name)
	}
	if tools.Off(def) {
		return def, tool.Fail(tool.ToolNotAvailable, "Tool '%s' is switched off", call.Tool)
	}
	if !tools.Allows(d.Agents.Rules(req.Tenant, req.Agent), req.Agent, def) {
		return def, tool.Fail(tool.ToolNotAvailable, "Tool '%s' is not available for this agent", call.Tool)
	}
	return routed(tools, call, def), nil
}

// routed is def in the pool of the tool that the call will really be: a call by
// way of another tool runs where that one runs. It is judged there.
func routed(tools catalog.View, call *Call, def *tool.Definition) *tool.Definition {
	if def.Name != catalog.UseTool {
		return def
	}
	var args struct {
		ToolName string `json:"tool_name"`
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return def // the worker says what is wrong with them
	}
	target, ok := tools.Lookup(args.ToolName)
	if !ok || target.Pool == def.Pool {
		return def
	}
	moved := *def
	moved.Pool = target.Pool
	return &moved
}

// first runs a call whose id was made here: nobody else can know it, so nothing
// needs to be asked before it is queued.
func (d *Dispatcher) first(ctx context.Context, req *Request, call *Call, def *tool.Definition) flight {
	e := d.envelope(req, call, def)
	f := d.watch(e)
	defer f.forget()
	if err := d.submit(ctx, e, f); err != nil {
		return flight{err: err}
	}
	return d.collect(ctx, req, e, f, false)
}

// claim runs a call whose id the caller chose: whoever stores the acceptance
// first queues it, everybody else joins.
func (d *Dispatcher) claim(ctx context.Context, req *Request, call *Call, def *tool.Definition) flight {
	e := d.envelope(req, call, def)
	hash, err := schema.Hash(e.Arguments)
	if err != nil {
		return flight{element: d.failed(req, call, tool.Fail(tool.ValidationError, "arguments: %s", err))}
	}
	f := d.watch(e)
	defer f.forget()

	made := madeID(call.ID)
	if made {
		// Its call has no acceptance if it was quick, but it has a result.
		stored, err := d.Bus.Result(ctx, req.Tenant, call.ID)
		if err != nil {
			return flight{err: err}
		}
		if stored != nil {
			return d.storedFor(req, call, e, hash, stored)
		}
	}
	if err := failpoint.Hit(failpoint.DispatcherBeforeAccept); err != nil {
		return flight{err: err}
	}
	rec, err := d.Bus.Accept(ctx, req.Tenant, call.ID, acceptance(e, hash))
	switch {
	case errors.Is(err, bus.ErrExists):
		if rec.Tool != e.Tool || rec.ArgsHash != hash || rec.User != e.User {
			return flight{element: d.failed(req, call, reused(call.ID))}
		}
		return d.join(ctx, req, e, rec, f)
	case err != nil:
		return flight{err: err}
	}
	if err := failpoint.Hit(failpoint.DispatcherAfterAccept); err != nil {
		return flight{err: err}
	}
	e.Again = made // it may run by the dispatcher that made its id
	if err := d.submit(ctx, e, f); err != nil {
		return flight{err: err}
	}
	return d.collect(ctx, req, e, f, true)
}

// storedFor answers with a stored result if it is one of this very call.
func (d *Dispatcher) storedFor(req *Request, call *Call, e *bus.Envelope, hash string, s *bus.Stored) flight {
	el, err := bus.DecodeElement(s.Element)
	if err != nil {
		return flight{err: err}
	}
	if el.Tool != e.Tool || (el.ArgsHash != "" && el.ArgsHash != hash) {
		return flight{element: d.failed(req, call, reused(call.ID))}
	}
	return flight{element: s.Element}
}

func reused(callID string) *tool.Error {
	return tool.Fail(tool.ValidationError, "call_id '%s' was already used with another tool or other arguments, or by another user; use a new call_id", callID)
}

// envelope is the call as a worker will read it.
func (d *Dispatcher) envelope(req *Request, call *Call, def *tool.Definition) *bus.Envelope {
	now := time.Now()
	e := &bus.Envelope{
		CallID: call.ID, ToolCallID: call.ToolCallID, TraceID: req.TraceID, Tool: def.Name, Origin: d.Bus.ID(),
		User: req.User, Agent: req.Agent, Conversation: req.Conversation, ConfirmToken: call.ConfirmToken,
		Arguments:  jsontext.Value(call.Arguments),
		AcceptedMS: now.UnixMilli(), StartByMS: now.Add(d.QueueTTL).UnixMilli(), TimeoutMS: call.Timeout.Milliseconds(),
		Tenant: req.Tenant, Pool: def.Pool, Traceparent: req.Traceparent, Via: req.Via,
	}
	if call.Timeout > 0 {
		e.DeadlineMS = now.Add(call.Timeout).UnixMilli()
		e.StartByMS = min(e.StartByMS, e.DeadlineMS)
	}
	return e
}

func acceptance(e *bus.Envelope, hash string) bus.Acceptance {
	return bus.Acceptance{
		Tool: e.Tool, ArgsHash: hash, Origin: e.Origin, TraceID: e.TraceID, ToolCallID: e.ToolCallID, Pool: e.Pool,
		User: e.User, Agent: e.Agent, Conversation: e.Conversation,
		AcceptedMS: e.AcceptedMS, DeadlineMS: e.DeadlineMS, StartByMS: e.StartByMS, TimeoutMS: e.TimeoutMS,
	}
}

// prepareTrace gives the request a trace id: its own, that of its W3C parent,
// or a new one. A parent of another trace is dropped.
func prepareTrace(req *Request) {
	parts := strings.Split(req.Traceparent, "-")
	parent := ""
	if len(parts) == 4 && len(parts[1]) == 32 {
		parent = parts[1]
	}
	switch {
	case req.TraceID == "" && parent != "":
		req.TraceID = parent
	case req.TraceID == "":
		req.TraceID = newTraceID()
	case req.TraceID != parent:
		req.Traceparent = ""
	}
}

func newTraceID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails: crypto/rand ends the process first
	return hex.EncodeToString(id[:])
}
