package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/place"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/dispatch/route"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/lib/reason"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Options configure a dispatcher.
type Options struct {
	Queue   *queue.Queue
	Catalog *catalog.Tenants
	Agents  *catalog.Agents
	Placer  *place.Placer
	Metrics *telemetry.Metrics
	Log     *zap.Logger
	// Parked ends calls that wait for a person.
	Parked interface {
		// Cancel reports false for a call that does not wait for one.
		Cancel(ctx context.Context, tenant, callID, by string) (bool, error)
		// Verdict returns nil for a consent that nobody has decided.
		Verdict(ctx context.Context, tenant, consentID string) (*protocol.Verdict, error)
	}
	// Trail takes the records of calls that are refused or ended here.
	Trail interface {
		Write(ctx context.Context, r *protocol.AuditRecord) error
		End(ctx context.Context, pool, origin string, element []byte, r *protocol.AuditRecord) error
	}
	// Groups finds results that are stored together with others; nil where none are.
	Groups results.Index
	// Callbacks stores the callbacks of requests; nil where requests have none.
	Callbacks Callbacks
	// Programs stores the programs that calls are; nil where no tool is one.
	Programs Programs
	// Tracing gets a span of each call that is accepted.
	Tracing *telemetry.Tracing
	// MaxBacklog is the number of calls that may wait in a pool before more are refused
	// as overloaded.
	MaxBacklog int64
	// QuickUser and QuickTenant bound the calls of a user and of a tenant that this
	// dispatcher puts into the quick lane of a pool.
	QuickUser, QuickTenant int
	// Quota bounds the calls of users and tenants.
	Quota Quota
	// QueueTTL bounds the time that a call without a timeout of its own waits for a
	// worker.
	QueueTTL time.Duration
	// DirectUnder is the longest that a quick call takes, with the queue; with 0 no call is
	// direct. DirectWait is the time in which the result of a direct call must be received.
	DirectUnder, DirectWait time.Duration
}

// Dispatcher accepts, routes and collects.
type Dispatcher struct {
	Options
	results  *results.Results
	router   *route.Router
	backlogs *queue.Backlogs
	shares   *shares
	drain    chan struct{}
	drained  sync.Once
}

// New starts a dispatcher, which works until ctx ends.
func New(ctx context.Context, o Options) (*Dispatcher, error) {
	d := &Dispatcher{Options: o, drain: make(chan struct{}), shares: newShares(o.QuickUser, o.QuickTenant, o.Quota)}
	var err error
	if d.results, err = results.Open(o.Queue, o.Groups, d.shares.ended); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	err = o.Queue.Owners.ServeProbeDone(func(tenant, callID string) *call.Owner {
		name, owner, ok := d.results.Inbox().Waiting(tenant, callID)
		if !ok {
			return nil
		}
		return &call.Owner{State: protocol.StateQueued, Origin: o.Queue.Conn.ID(), Tool: name, By: o.Queue.Conn.ID(), Owner: owner}
	}, d.results.Done)
	if err != nil {
		return nil, fmt.Errorf("probes: %w", err)
	}
	d.backlogs = o.Queue.Calls.WatchBacklogs(ctx, newWaits(ctx, o.Metrics).seen)
	d.router = route.New(route.Options{
		Queue: o.Queue, Inbox: d.results.Inbox(), Backlogs: d.backlogs, Metrics: o.Metrics, Tracing: o.Tracing,
		DirectUnder: o.DirectUnder, DirectWait: o.DirectWait,
	})
	d.follow(ctx)
	return d, nil
}

// Drain ends all waiting: calls that are not done are answered as pending, and
// go on without this dispatcher.
func (d *Dispatcher) Drain() { d.drained.Do(func() { close(d.drain) }) }

// Execute runs the calls of a request in parallel and answers in the order
// asked. It returns when every call is done or awaits a person, or when
// req.Wait is over; calls that are not done then go on. The error is a
// [*Error].
func (d *Dispatcher) Execute(ctx context.Context, req Request) (Response, error) {
	if !d.Queue.Conn.Connected() {
		return Response{}, unavailable()
	}
	prepareTrace(&req)
	req.Began = time.Now()
	bounded, cancel := context.WithDeadline(ctx, req.until())
	defer cancel()
	flights := make([]callOutcome, len(req.Calls))
	if len(flights) == 1 {
		flights[0] = d.runFor(bounded, &req, &req.Calls[0])
	} else {
		var all gopool.Group
		for i := range flights {
			all.Go(func() { flights[i] = d.runFor(bounded, &req, &req.Calls[i]) })
		}
		all.Wait()
	}
	if err := failpoint.Hit(failpoint.DispatcherBeforeAnswer); err != nil {
		return Response{}, unavailable()
	}
	return d.answer(ctx, &req, flights)
}

// callOutcome is the outcome of one call of a request.
type callOutcome struct {
	element []byte
	// left is set if the call is not done and still counts.
	left bool
	// overloaded is the delay before the call may be sent again; 0 if it was not
	// refused as overloaded.
	overloaded time.Duration
	// reason is the cause, unless too many calls wait; limited is set if it is a quota.
	reason  string
	limited bool
	// err is why the call could not be accepted, or its acceptance not be
	// confirmed.
	err error
}

func (d *Dispatcher) answer(ctx context.Context, req *Request, flights []callOutcome) (Response, error) {
	res := Response{TraceID: req.TraceID, Results: make([]json.RawMessage, len(flights))}
	overloaded, limited, failed := 0, 0, 0
	var retry time.Duration
	for i, out := range flights {
		if out.err != nil {
			failed++
			out.element = d.refusal(req, &req.Calls[i], confirmError(out.err))
		}
		if out.overloaded > 0 {
			overloaded++
			retry = max(retry, out.overloaded)
			if out.limited {
				limited++
			}
		}
		res.Results[i] = out.element
	}
	if failed > 0 && failed == len(flights) {
		return Response{}, unavailable()
	}
	if overloaded > 0 && overloaded == len(flights) {
		res.RetryAfter, res.Reason, res.Limited = retry, flights[0].reason, limited == overloaded
	}
	return res, d.fit(ctx, req, res.Results)
}

// runFor is run. The answer to a call that was refused is stored nowhere, so it is stored
// for the callback of the request. A call that was not accepted for lack of room has none: it
// can be sent again.
func (d *Dispatcher) runFor(ctx context.Context, req *Request, c *Call) callOutcome {
	out := d.run(ctx, req, c)
	if req.Callback == nil || c.promised || out.err != nil || out.overloaded > 0 {
		return out
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), req.until())
	defer cancel()
	rec := queue.Acceptance{
		Tool:         c.Tool,
		TraceID:      req.TraceID,
		User:         req.User,
		Agent:        req.Agent,
		Conversation: req.Conversation,
		AcceptedMS:   req.Began.UnixMilli(),
	}
	if err := d.Callbacks.Send(ctx, req.Callback, req.Tenant, NewID(), c.ID, rec, out.element); err != nil {
		return d.callbackRefused(req, c, nil, err)
	}
	return out
}

// run takes one call through its whole life here.
func (d *Dispatcher) run(ctx context.Context, req *Request, c *Call) (out callOutcome) {
	made := c.ID == "" || c.Fresh
	if c.ID == "" {
		c.ID = NewID()
	}
	if err := failpoint.Hit(failpoint.DispatcherReceived); err != nil {
		return callOutcome{err: err}
	}
	if short := d.Queue.Full(); short != nil && (short.Gone() || !d.known(ctx, req, c, made)) {
		return d.full(req, c, short, short.What)
	}
	t, refusal := d.accept(req, c)
	var at place.At
	if refusal == nil {
		var err error
		t.Def = d.Placer.Personal(place.Person{Tenant: req.Tenant, User: req.User}, t.Def)
		if at, refusal, err = d.place(ctx, req, c, t, made); err != nil {
			return callOutcome{err: err}
		}
	}
	def := t.Def
	if refusal != nil {
		d.traceRefused(ctx, req, c, def, refusal)
		return d.refused(ctx, req, c, def, refusal)
	}
	if d.Tracing.Enabled() {
		ctx = d.traceAccept(ctx, req, c, def)
		defer func() { telemetry.EndCall(telemetry.SpanOf(ctx), failure(out.err)) }() // a call that is queued has ended it before
	}
	if err := d.backlogs.Watch(ctx, def.Pool); err != nil {
		return callOutcome{err: err}
	}
	who := person{req.Tenant, req.User}
	counted, over := d.shares.take(def.Pool, who, c.Priority, true)
	if over != nil {
		if !d.known(ctx, req, c, made) {
			return d.limited(req, c, def, over)
		}
		counted, _ = d.shares.take(def.Pool, who, c.Priority, false) // it is joined
	}
	defer func() {
		if !out.left {
			counted.end()
		}
	}()
	if d.backlogs.Add(def.Pool, 1) > d.MaxBacklog {
		d.backlogs.Add(def.Pool, -1)
		return d.overloaded(req, c, def)
	}
	counted.placed = at
	submit := d.submitOnce
	if made {
		submit = d.submitNew
	}
	out = submit(ctx, req, c, def, counted)
	if errors.Is(out.err, natsio.ErrFull) {
		if short := d.Queue.Full(); short != nil {
			return d.full(req, c, short, short.What)
		}
		return d.overloaded(req, c, def)
	}
	return out
}

// refused records a call that is refused, and returns the refusal as its result.
func (d *Dispatcher) refused(ctx context.Context, req *Request, c *Call, def *tool.Definition, refusal *tool.Error) callOutcome {
	if err := d.note(ctx, req, c, def, refusal); err != nil {
		return d.unrecorded(req, c, err)
	}
	d.countRefused(req.Tenant, def, refusal.Kind)
	return callOutcome{element: d.refusal(req, c, refusal)}
}

// note puts a call on record that no worker will see, and returns when the record is
// stored.
func (d *Dispatcher) note(ctx context.Context, req *Request, c *Call, def *tool.Definition, refusal *tool.Error) error {
	now := time.Now()
	accepted := now.Truncate(time.Millisecond) // as precise as that of a call that is queued
	r := &protocol.AuditRecord{
		Phase: protocol.AuditRefused, TraceID: req.TraceID, CallID: c.ID, Tenant: req.Tenant, User: req.User, Agent: req.Agent,
		Conversation: req.Conversation, Tool: c.Tool, AcceptedAt: &accepted, EndedAt: &now, Origin: req.Via,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeBlocked, Reason: refusal.Msg},
		Result: &protocol.AuditResult{
			Status:    protocol.StatusError,
			ErrorType: string(refusal.Kind),
			Summary:   reason.Of(refusal.Msg, c.Arguments),
		},
	}
	if def != nil {
		r.Tool, r.ToolVersion = def.Name, def.Version
	}
	if hash, err := schema.Hash(c.Arguments); err == nil {
		r.ArgsHash = hash
	}
	return d.Trail.Write(ctx, r)
}

// overloadRetry is when a refused caller should try again: about as long as
// the backlog's count takes to be fresh.
const overloadRetry = time.Second

func (d *Dispatcher) overloaded(req *Request, c *Call, def *tool.Definition) callOutcome {
	d.countRefused(req.Tenant, def, tool.Overloaded)
	d.Metrics.Pool(queue.BasePool(def.Pool)).Overloaded()
	el := refusalOf(req, c, tool.Fail(tool.Overloaded,
		"too many calls are waiting for pool %s; send the call again in %v", def.Pool, overloadRetry))
	el.Metadata = map[string]any{"retry_after_ms": overloadRetry.Milliseconds()}
	return callOutcome{element: encode(&el), overloaded: overloadRetry}
}

// refusal is the element of a call that was not accepted.
func (d *Dispatcher) refusal(req *Request, c *Call, err *tool.Error) []byte {
	el := refusalOf(req, c, err)
	return encode(&el)
}

func refusalOf(req *Request, c *Call, err *tool.Error) protocol.Result {
	return call.Failed(c.ID, c.ToolCallID, req.TraceID, c.Tool, nil, err)
}

func encode(el *protocol.Result) []byte {
	data, err := call.EncodeResult(el)
	if err != nil {
		// Only a tool's value can fail to encode, and the worker encoded that.
		panic(fmt.Errorf("encode element: %w", err))
	}
	return data
}

func unavailable() *Error {
	return &Error{
		Kind: Unavailable, RetryAfter: time.Second,
		Msg: "NATS cannot be reached now; send the request again, with the same call_id if it had one",
	}
}

func confirmError(err error) *tool.Error {
	return tool.Fail(tool.Internal,
		"the call could not be confirmed as accepted; send it again with the same call_id to learn its outcome").Because(err)
}
