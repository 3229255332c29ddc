package dispatcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/failpoint"
	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// Options are what a dispatcher needs.
type Options struct {
	Bus     *bus.Bus
	Catalog *catalog.Tenants
	Agents  *catalog.Agents
	Metrics *telemetry.Metrics
	Log     *zap.Logger
	// Parked ends calls that wait for a person.
	Parked interface {
		// Cancel reports false for a call that does not wait for one.
		Cancel(ctx context.Context, tenant, callID, by string) (bool, error)
	}
	// Trail takes the records of calls that are refused or ended here.
	Trail interface {
		Note(r *audit.Record)
		WriteOnce(ctx context.Context, r *audit.Record) error
	}
	// MaxBacklog is how many calls may wait in a pool before more are refused
	// as overloaded.
	MaxBacklog int64
	// QueueTTL is how long a call without a timeout of its own may wait for a
	// worker.
	QueueTTL time.Duration
}

// Dispatcher accepts, routes and collects.
type Dispatcher struct {
	Options
	inbox    *bus.Inbox
	backlogs *bus.Backlogs
	drain    chan struct{}
	drained  sync.Once
}

// New starts a dispatcher, which works until ctx ends.
func New(ctx context.Context, o Options) (*Dispatcher, error) {
	d := &Dispatcher{Options: o, drain: make(chan struct{})}
	var err error
	if d.inbox, err = o.Bus.OpenInbox(); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	err = o.Bus.ServeProbe(func(tenant, callID string) *bus.Held {
		name, ok := d.inbox.Waiting(tenant, callID)
		if !ok {
			return nil
		}
		return &bus.Held{State: bus.StateQueued, Origin: o.Bus.ID(), Tool: name, By: o.Bus.ID()}
	})
	if err != nil {
		return nil, fmt.Errorf("probes: %w", err)
	}
	d.backlogs = o.Bus.WatchBacklogs(ctx, func(pool string, waiting int64) {
		o.Metrics.Pool(pool).Backlog(int(waiting))
	})
	return d, nil
}

// Drain ends all waiting: calls that are not done are answered as pending, and
// go on without this dispatcher.
func (d *Dispatcher) Drain() { d.drained.Do(func() { close(d.drain) }) }

// Execute runs the calls of a request in parallel and answers in the order
// asked. It returns when every call is done or awaits a person, or when
// req.Wait is over; calls that are not done then go on. The error is a
// [*RequestError].
func (d *Dispatcher) Execute(ctx context.Context, req Request) (Response, error) {
	if !d.Bus.Connected() {
		return Response{}, unavailable()
	}
	prepareTrace(&req)
	flights := make([]flight, len(req.Calls))
	if len(flights) == 1 {
		flights[0] = d.run(ctx, &req, &req.Calls[0])
	} else {
		var all sync.WaitGroup
		for i := range flights {
			all.Go(func() { flights[i] = d.run(ctx, &req, &req.Calls[i]) })
		}
		all.Wait()
	}
	if err := failpoint.Hit(failpoint.DispatcherBeforeAnswer); err != nil {
		return Response{}, unavailable()
	}
	return d.answer(ctx, &req, flights)
}

// flight is what became of one call of a request.
type flight struct {
	element []byte
	// overloaded is how long to wait before sending the call again; 0 if it
	// was not refused for that.
	overloaded time.Duration
	// err is why the call could not be accepted, or its acceptance not be
	// confirmed.
	err error
}

func (d *Dispatcher) answer(ctx context.Context, req *Request, flights []flight) (Response, error) {
	res := Response{TraceID: req.TraceID, Results: make([]json.RawMessage, len(flights))}
	overloaded, failed := 0, 0
	var retry time.Duration
	for i, f := range flights {
		if f.err != nil {
			failed++
			f.element = d.failed(req, &req.Calls[i], unconfirmed(f.err))
		}
		if f.overloaded > 0 {
			overloaded++
			retry = max(retry, f.overloaded)
		}
		res.Results[i] = f.element
	}
	if failed > 0 && failed == len(flights) {
		return Response{}, unavailable()
	}
	if overloaded > 0 && overloaded == len(flights) {
		res.RetryAfter = retry
	}
	return res, d.fit(ctx, req, res.Results)
}

// run takes one call through its whole life here.
func (d *Dispatcher) run(ctx context.Context, req *Request, call *Call) flight {
	made := call.ID == "" || call.Fresh
	if call.ID == "" {
		call.ID = NewID()
	}
	if err := failpoint.Hit(failpoint.DispatcherReceived); err != nil {
		return flight{err: err}
	}
	def, refusal := d.admit(req, call)
	if refusal != nil {
		d.Metrics.CallDone(telemetry.ToolLabel(def), bus.StatusError, string(refusal.Kind), 0, 0)
		d.note(req, call, def, refusal)
		return flight{element: d.failed(req, call, refusal)}
	}
	if err := d.backlogs.Watch(ctx, def.Pool); err != nil {
		return flight{err: err}
	}
	if d.backlogs.Add(def.Pool, 1) > d.MaxBacklog {
		d.backlogs.Add(def.Pool, -1)
		return d.overloaded(req, call, def)
	}
	accept := d.claim
	if made {
		accept = d.first
	}
	f := accept(ctx, req, call, def)
	if errors.Is(f.err, bus.ErrFull) {
		return d.overloaded(req, call, def)
	}
	return f
}

// note puts a call on record that no worker will see.
func (d *Dispatcher) note(req *Request, call *Call, def *tool.Definition, refusal *tool.Error) {
	now := time.Now()
	r := &audit.Record{
		Phase: audit.Refused, TraceID: req.TraceID, CallID: call.ID, Tenant: req.Tenant, User: req.User, Agent: req.Agent,
		Conversation: req.Conversation, Tool: call.Tool, EndedAt: &now,
		Decision: &audit.Decision{Outcome: audit.Blocked, Reason: refusal.Msg},
		Result:   &audit.Result{Status: bus.StatusError, ErrorType: string(refusal.Kind)},
	}
	if def != nil {
		r.Tool, r.ToolVersion = def.Name, def.Version
	}
	if hash, err := schema.Hash(call.Arguments); err == nil {
		r.ArgsHash = hash
	}
	d.Trail.Note(r)
}

// overloadRetry is when a refused caller should try again: about as long as
// the backlog's count takes to be fresh.
const overloadRetry = time.Second

func (d *Dispatcher) overloaded(req *Request, call *Call, def *tool.Definition) flight {
	d.Metrics.CallDone(telemetry.ToolLabel(def), bus.StatusError, string(tool.Overloaded), 0, 0)
	d.Metrics.Pool(def.Pool).Overloaded()
	el := bus.Failed(call.ID, call.ToolCallID, req.TraceID, call.Tool,
		tool.Fail(tool.Overloaded, "too many calls are waiting for pool %s; send the call again in %v", def.Pool, overloadRetry))
	el.Metadata = map[string]any{"retry_after_ms": overloadRetry.Milliseconds()}
	return flight{element: encode(&el), overloaded: overloadRetry}
}

// failed is the element of a call that was not accepted.
func (d *Dispatcher) failed(req *Request, call *Call, err *tool.Error) []byte {
	el := bus.Failed(call.ID, call.ToolCallID, req.TraceID, call.Tool, err)
	return encode(&el)
}

func encode(el *bus.Element) []byte {
	data, err := el.Encode()
	if err != nil {
		// Only a tool's value can fail to encode, and the worker encoded that.
		panic(fmt.Errorf("encode element: %w", err))
	}
	return data
}

func unavailable() *RequestError {
	return &RequestError{
		Type: "unavailable", Status: http.StatusServiceUnavailable, RetryAfter: time.Second,
		Msg: "NATS cannot be reached now; send the request again, with the same call_id if it had one",
	}
}

func unconfirmed(err error) *tool.Error {
	return tool.Fail(tool.Internal, "the call could not be confirmed as accepted; send it again with the same call_id to learn what became of it").Because(err)
}
