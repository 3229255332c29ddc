package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/place"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/dispatch/route"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// accept refuses what no worker could run, before it costs anything.
func (d *Dispatcher) accept(req *Request, c *Call) (place.Tool, *tool.Error) {
	if c.Problem != nil {
		return place.Tool{}, c.Problem
	}
	tools := d.Catalog.Of(req.Tenant, req.User).In(req.Conversation)
	set, unknown := tools.Toolset(req.Toolset)
	if unknown != nil {
		return place.Tool{}, unknown
	}
	def, ok := tools.Lookup(c.Tool)
	if !ok {
		return place.Tool{}, d.notFound(req, c, tools)
	}
	if !set.Has(def) {
		return place.Tool{Def: def}, tools.Outside(set, c.Tool)
	}
	if def.Kind == tool.KindRemote && !def.Enabled {
		return place.Tool{Def: def}, tool.Fail(tool.ToolNotAvailable,
			"Tool '%s' is not available: no process that runs it has sent a heartbeat lately; try again later, or tell the operator", c.Tool)
	}
	if withheld := place.Withheld(def); withheld != nil {
		return place.Tool{Def: def}, withheld
	}
	if tools.Off(def) {
		return place.Tool{Def: def}, tools.Unavailable(def, req.Agent, c.Tool)
	}
	if !tools.Allows(d.Agents.Rules(req.Tenant, req.Agent), req.Agent, def) {
		return place.Tool{Def: def}, tools.Unavailable(def, req.Agent, c.Tool)
	}
	return routed(tools, c, def), nil
}

// nearest is the number of tools in the answer to an unknown name.
const nearest = 3

// notFound returns the error for a name that no tool has, with the tools like it that
// the caller may use.
func (d *Dispatcher) notFound(req *Request, c *Call, tools catalog.View) *tool.Error {
	near := tools.Near(d.Agents.Rules(req.Tenant, req.Agent), req.Agent, c.Tool, nearest)
	if len(near) == 0 {
		return tool.Fail(tool.ToolNotFound, "Tool '%s' not found", c.Tool)
	}
	return tool.Fail(tool.ToolNotFound, "Tool '%s' not found; the nearest are %s", c.Tool, strings.Join(near, ", "))
}

// routed is def in the pool of the tool that the call will really be: a call by
// way of another tool runs where that one runs. It is judged there.
func routed(tools catalog.View, c *Call, def *tool.Definition) place.Tool {
	if def.Name != catalog.UseTool {
		return place.Tool{Def: def}
	}
	var args struct {
		ToolName string `json:"tool_name"`
	}
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return place.Tool{Def: def} // the worker reports the problem
	}
	target, ok := tools.Lookup(args.ToolName)
	if !ok {
		return place.Tool{Def: def}
	}
	if target.Pool != def.Pool {
		moved := *def
		moved.Pool = target.Pool
		def = &moved
	}
	return place.Tool{Def: def, Target: target}
}

// place returns the lane that a call is queued in. Without a worker for the call it
// waits a moment, and then returns a refusal. A call that was accepted before is not refused.
func (d *Dispatcher) place(ctx context.Context, req *Request, c *Call, t place.Tool, made bool) (place.At, *tool.Error, error) {
	who := place.Person{Tenant: req.Tenant, User: req.User}
	at, able, err := d.Placer.Now(ctx, who, t)
	switch {
	case able || err != nil:
		return at, nil, err
	case c.Waits:
		return d.Placer.Waiting(t), nil, nil
	case d.known(ctx, req, c, made):
		return place.At{}, nil, nil
	}
	return d.Placer.Await(ctx, who, t, c.Tool, d.drain)
}

// submitNew runs a call whose id was made here: nobody else can know it, so nothing
// needs to be asked before it is queued.
func (d *Dispatcher) submitNew(ctx context.Context, req *Request, c *Call, def *tool.Definition, t *ticket) callOutcome {
	e := d.message(req, c, def, t)
	if refusal, ok := d.promise(ctx, req, c, def, acceptance(e, results.Of(e), "")); !ok {
		return refusal
	}
	if refusal, ok := d.begin(ctx, req, c, def, e); !ok {
		return refusal
	}
	w := d.watch(e, t)
	defer w.result.Forget()
	out := callOutcome{err: d.send(ctx, req, e, w, def)}
	if out.err == nil {
		out = d.collect(ctx, req, e, w, false)
	}
	if errors.Is(out.err, natsio.ErrFull) {
		d.withdraw(ctx, req, c)
		d.withdrawProgram(ctx, req, c)
	}
	return out
}

// submitOnce runs a call whose id the caller chose: the request that stores the acceptance
// first queues it, all others join.
func (d *Dispatcher) submitOnce(ctx context.Context, req *Request, c *Call, def *tool.Definition, t *ticket) callOutcome {
	e := d.message(req, c, def, t)
	hash, err := schema.Hash(e.Arguments)
	if err != nil {
		return callOutcome{element: d.refusal(req, c, tool.Fail(tool.ValidationError, "%s", err))}
	}
	w := d.watch(e, t)
	defer w.result.Forget()

	made := c.made()
	if made {
		if out, ok := d.earlier(ctx, req, c, def, e, hash); ok {
			return out
		}
	}
	if err := failpoint.Hit(failpoint.DispatcherBeforeAccept); err != nil {
		return callOutcome{err: err}
	}
	if made {
		w.result.Copied() // the dispatcher that made the id may have had another definition
	}
	rec, err := d.Queue.Calls.Accept(ctx, req.Tenant, c.ID, acceptance(e, w.result.Ref(), hash))
	switch {
	case errors.Is(err, natsio.ErrExists):
		if rec.Tool != e.Tool || rec.ArgsHash != hash || !own(ctx, e, rec.Owner()) {
			return callOutcome{element: d.refusal(req, c, Reused(c.ID))}
		}
		if refusal, ok := d.promise(ctx, req, c, def, *rec); !ok {
			return refusal
		}
		return d.attach(ctx, req, e, rec, w)
	case err != nil:
		return callOutcome{err: err}
	}
	if err := failpoint.Hit(failpoint.DispatcherAfterAccept); err != nil {
		return callOutcome{err: err}
	}
	if out, ok := d.promiseAndBegin(ctx, req, c, def, e, rec); !ok {
		return out
	}
	if c.program != nil {
		return d.joinProgram(ctx, req, c, e, rec, w)
	}
	// It may run by the dispatcher that made its id, or have run before a copy that
	// found no room.
	if e.Copy = made || rec.Generation > 0; e.Copy {
		w.result.Copied()
	}
	if err := d.send(ctx, req, e, w, def); err != nil {
		return callOutcome{err: err}
	}
	out := d.collect(ctx, req, e, w, true)
	if made && out.err == nil { // what came may be the result of the first
		out, _ = d.ofThisCall(ctx, req, c, e, hash, out.element)
		return out
	}
	if errors.Is(out.err, natsio.ErrFull) {
		d.withdrawProgram(ctx, req, c)
		return d.release(ctx, req, c, rec, out.err)
	}
	return out
}

// earlier answers a call whose id was made by a dispatcher, if it has ended or runs for others. It
// has no acceptance if it was quick, but it has a result.
func (d *Dispatcher) earlier(
	ctx context.Context, req *Request, c *Call, def *tool.Definition, e *call.Call, hash string,
) (out callOutcome, ok bool) {
	stored, err := d.results.FindLatest(ctx, results.Named(req.Tenant, c.ID))
	if err != nil {
		return callOutcome{err: err}, true
	}
	if stored != nil {
		return d.ended(ctx, req, c, def, e, hash, stored.Element), true
	}
	return d.foreign(ctx, req, c, e)
}

// release takes back the acceptance of a call that the queue refused, so that its
// call_id can be sent again. Only then may the caller learn that it was refused.
func (d *Dispatcher) release(ctx context.Context, req *Request, c *Call, rec *queue.Acceptance, reason error) callOutcome {
	if err := failpoint.Hit(failpoint.DispatcherBeforeRelease); err != nil {
		return callOutcome{err: err}
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), req.until())
	defer cancel()
	if err := d.Queue.Calls.Release(ctx, req.Tenant, c.ID, rec); err != nil {
		return callOutcome{err: fmt.Errorf("%w: acceptance not taken back: %w", natsio.ErrUnavailable, err)}
	}
	return callOutcome{err: reason}
}

// ofThisCall answers with an element if it is one of this very call, and reports that.
func (d *Dispatcher) ofThisCall(
	ctx context.Context, req *Request, c *Call, e *call.Call, hash string, element []byte,
) (callOutcome, bool) {
	el, err := glance(element)
	if err != nil {
		return callOutcome{err: err}, false
	}
	if el.Status != protocol.StatusPending && (el.Tool != e.Tool || (el.ArgsHash != "" && el.ArgsHash != hash) || !own(ctx, e, el.Owner)) {
		return callOutcome{element: d.refusal(req, c, Reused(c.ID))}, false
	}
	return callOutcome{element: element}, true
}

// foreign refuses a call_id under which a call of others runs that has neither result
// nor acceptance yet, as a call may whose id was made here.
func (d *Dispatcher) foreign(ctx context.Context, req *Request, c *Call, e *call.Call) (callOutcome, bool) {
	rec, err := d.Queue.Calls.Accepted(ctx, req.Tenant, c.ID)
	if rec != nil || err != nil {
		return callOutcome{err: err}, err != nil // Accept compares it
	}
	held := d.Queue.Owners.Find(ctx, req.Tenant, c.ID)
	if held == nil || own(ctx, e, held.Owner) {
		return callOutcome{}, false
	}
	return callOutcome{element: d.refusal(req, c, Reused(c.ID))}, true
}

// Reused returns the refusal of a call_id that another call has.
func Reused(callID string) *tool.Error {
	return tool.Fail(tool.ValidationError,
		"call_id '%s' was already used with another tool or other arguments, or by another user; use a new call_id", callID)
}

// message is the call as a worker will read it.
func (d *Dispatcher) message(req *Request, c *Call, def *tool.Definition, t *ticket) *call.Call {
	now := time.Now()
	e := c.Call
	e.Tool, e.Pool, e.Origin = def.Name, def.Pool, d.Queue.Conn.ID()
	e.Tenant, e.User, e.Agent, e.Conversation = req.Tenant, req.User, req.Agent, req.Conversation
	e.Toolset, e.Timezone = req.Toolset, req.Timezone
	e.TraceID, e.Traceparent, e.Via = req.TraceID, req.Traceparent, req.Via
	e.AcceptedMS, e.StartByMS = now.UnixMilli(), now.Add(d.QueueTTL).UnixMilli()
	if e.TimeoutMS > 0 {
		e.DeadlineMS = e.AcceptedMS + e.TimeoutMS
		e.StartByMS = min(e.StartByMS, e.DeadlineMS)
	}
	// The end of a program, and that of its questions, are mostly read by others than their
	// dispatcher, who see groups later.
	alone := def.Durable || e.Parent != "" && (def.Name == catalog.AskUser || def.RequiresConfirmation)
	d.results.SetGrouped(&e, req.Callback != nil || alone || changes(def, e.Arguments))
	t.placed.Put(&e, t.lane)
	return &e
}

func acceptance(e *call.Call, ref results.Ref, hash string) queue.Acceptance {
	rec := queue.Acceptance{
		Tool: e.Tool, ArgsHash: hash, Origin: e.Origin, TraceID: e.TraceID, ToolCallID: e.ToolCallID, Pool: e.Pool,
		User: e.User, Agent: e.Agent, Conversation: e.Conversation, Via: e.Via,
		AcceptedMS: e.AcceptedMS, DeadlineMS: e.DeadlineMS, StartByMS: e.StartByMS, TimeoutMS: e.TimeoutMS,
	}
	ref.Mark(&rec)
	return rec
}

// send hands the call over to a worker.
func (d *Dispatcher) send(ctx context.Context, req *Request, e *call.Call, w *watcher, def *tool.Definition) error {
	return w.sending.Send(ctx, route.Offer{Tool: def, Changes: changes(def, e.Arguments), Awaited: req.Wait > 0})
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
