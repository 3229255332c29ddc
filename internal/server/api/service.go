package api

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Calls runs calls and looks up past calls. An error other than a
// [dispatch.Error] is unavailable to the caller.
type Calls interface {
	// Execute runs the calls of a request. When ctx ends it stops waiting for results;
	// accepted calls continue.
	Execute(ctx context.Context, req dispatch.Request) (dispatch.Response, error)
	// Get returns the result element of a call with its state.
	Get(ctx context.Context, tenant, callID string) (json.RawMessage, error)
	// Arguments returns the arguments of a call with secrets hidden, nil if they are not known.
	// It is called after Get.
	Arguments(ctx context.Context, tenant, callID string) (json.RawMessage, error)
	// AcceptedAt returns the time at which a call was accepted, zero if it is not known. It is
	// called after Get.
	AcceptedAt(ctx context.Context, tenant, callID string) (time.Time, error)
	// Cancel cancels a call and returns its result element with its state.
	Cancel(ctx context.Context, tenant, callID string) (json.RawMessage, error)
	// Result opens the JSON value that a call returned, and returns its size in bytes.
	Result(ctx context.Context, tenant, callID string) (io.ReadCloser, int64, error)
	// Events yields the stored events of a trace after the event with the ID after,
	// then new events, until ctx or yield ends it.
	Events(ctx context.Context, tenant, traceID, after string, yield func(dispatch.Event) error) error
}

// Catalog returns the tools of each tenant.
type Catalog interface {
	// Of returns the tools visible to a person of a tenant; "" is a call without a
	// person.
	Of(tenant, user string) catalog.View
	// LoadErrors returns the errors of loading workers' tools directories.
	LoadErrors() []protocol.LoadError
}

// AgentStore stores the records of agents.
type AgentStore interface {
	// List returns a tenant's records, sorted by name.
	List(ctx context.Context, tenant string) ([]protocol.Agent, error)
	// Get returns the record of an agent and whether it exists.
	Get(ctx context.Context, tenant, agent string) (protocol.Agent, bool, error)
	// Put stores a record and replaces an existing one.
	Put(ctx context.Context, tenant string, record protocol.Agent) error
	// Delete removes a record and reports whether it existed.
	Delete(ctx context.Context, tenant, agent string) (bool, error)
}

// Limits bound a request. A zero field means its default.
type Limits struct {
	// Body is the size of a request, in bytes: 8 MiB.
	Body int
	// Calls is the maximum number of calls in a request: 4096.
	Calls int
	// Wait is the maximum of wait_ms, 5 minutes. A longer wait is cut.
	Wait time.Duration
}

func (l Limits) withDefaults() Limits {
	if l.Body == 0 {
		l.Body = 8 << 20
	}
	if l.Calls == 0 {
		l.Calls = 4096
	}
	if l.Wait == 0 {
		l.Wait = 5 * time.Minute
	}
	return l
}

// Parts holds the parts that the operations of a service use. Without a part its operations are
// unavailable. Calls, Catalog, Agents and Log are required.
type Parts struct {
	// Calls also serves event streams and the bytes of large results, which are not single
	// answers.
	Calls   Calls
	Catalog Catalog
	Agents  AgentStore
	Gate    Gate
	Limits  Limits
	Log     *zap.Logger
	// About has the facts that me returns besides the caller.
	About About
	// Connector serves pages, which are no operations.
	Connector Connector

	Callbacks Callbacks
	Checks    Checks
	Counter   ToolCounter
	Custom    CustomTools
	Data      PersonalData
	Dead      Dead
	Files     Files
	Fleet     Fleet
	History   History
	Kept      KeptCalls
	List      CallLister
	Orders    Orders
	Policies  Policies
	Programs  Programs
	Push      Push
	Queues    Queues
	Remotes   Remotes
	Services  Services
	Upstreams Upstreams
}

// Service implements the operations. Its parts are read only after the first request.
type Service struct{ Parts }

// New returns a service of its parts.
func New(p Parts) *Service {
	p.Limits = p.Limits.withDefaults()
	return &Service{p}
}

// operationTimeout bounds an operation whose request has no time limit, so that none
// waits longer for an unresponsive NATS server.
const operationTimeout = 12 * time.Second

// unbounded are the operations with their own time limit, or that read a whole trail.
var unbounded = map[string]bool{
	Execute:           true,
	Events:            true,
	"audit.export":    true,
	"audit.verify":    true,
	DataExport:        true,
	"data.import":     true,
	"data.delete":     true,
	"services.rotate": true,
}

// Do runs one operation. Its error is always a [*RequestError]; its cause,
// and a panic, is logged.
func (s *Service) Do(ctx context.Context, op Operation, in Input) (reply Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.Log.Error("a request crashed", zap.String("operation", op.Name), zap.Any("panic", v), zap.Stack("stack"))
			reply, err = Reply{}, Crashed()
		}
	}()
	if len(in.Body) > s.Limits.Body {
		return Reply{}, s.Limits.bodyTooLarge()
	}
	if err := s.authorize(&in, op); err != nil {
		return Reply{}, err
	}
	if !unbounded[op.Name] {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, operationTimeout)
		defer cancel()
	}
	if op.Name != Execute { // whose body may name the trace
		ctx, _ = in.begin(ctx, in.Traceparent)
	}
	begun := time.Now()
	reply, err = op.run(s, identity.With(ctx, in.By), in)
	if err != nil {
		in.begin(ctx, in.Traceparent) // its body was refused
		if private[op.Name] {
			_ = Slowed(ctx, in.By, begun, err)
		}
		failure, expected := AsRequestError(err)
		if !expected {
			s.Log.Warn("a request failed", zap.String("operation", op.Name), zap.String("tenant", in.Tenant), zap.Error(err))
		}
		return Reply{}, failure
	}
	return reply, nil
}

// authorize checks that the caller may use the operation, and sets the tenant.
func (s *Service) authorize(in *Input, op Operation) (err error) {
	if in.Tenant, err = Tenant(cmp.Or(in.Tenant, in.By.Tenant)); err != nil {
		return err
	}
	if err := op.Permits(in.By); err != nil {
		return err
	}
	in.By, err = narrow(*in, "", "")
	return err
}

func (l Limits) bodyTooLarge() *RequestError {
	return TooLarge("the body is larger than %d bytes; split the request or send files by reference", l.Body)
}

// array returns list so that JSON has an array even if it is empty.
func array[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// answer encodes v as a reply.
func answer(v any) (Reply, error) {
	body, err := tool.Marshal(v)
	return Reply{Body: body}, err
}
