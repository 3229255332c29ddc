package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/dispatcher"
	"github.com/helve-dev/helve/internal/identity"
)

// Calls runs calls and knows about those that ran. An error that is not a
// [dispatcher.RequestError] reads as unavailable to the caller.
type Calls interface {
	// Execute runs the calls of a request. When ctx ends it stops waiting for
	// results; what was accepted goes on.
	Execute(ctx context.Context, req dispatcher.Request) (dispatcher.Response, error)
	// Get returns the result element of a call with its state.
	Get(ctx context.Context, tenant, callID string) (json.RawMessage, error)
	// Cancel cancels a call and returns its result element with its state.
	Cancel(ctx context.Context, tenant, callID string) (json.RawMessage, error)
	// Result opens the JSON value that a call returned, of so many bytes.
	Result(ctx context.Context, tenant, callID string) (io.ReadCloser, int64, error)
	// Events yields what is still known of a trace after the event with the id
	// after, then what comes, until ctx or yield ends it.
	Events(ctx context.Context, tenant, traceID, after string, yield func(dispatcher.Event) error) error
}

// Catalog knows the tools of each tenant.
type Catalog interface {
	Of(tenant string) catalog.View
	// LoadErrors are what workers could not load of their tools directories.
	LoadErrors() []catalog.LoadError
}

// AgentStore keeps the records of agents.
type AgentStore interface {
	// List returns a tenant's records, by name.
	List(ctx context.Context, tenant string) ([]catalog.Agent, error)
	// Get returns the record of an agent and whether there is one.
	Get(ctx context.Context, tenant, agent string) (catalog.Agent, bool, error)
	// Put keeps a record, in place of an older one.
	Put(ctx context.Context, tenant string, record catalog.Agent) error
	// Delete removes a record and reports whether there was one.
	Delete(ctx context.Context, tenant, agent string) (bool, error)
}

// Limits bound what one request may ask for. A zero field means its default.
type Limits struct {
	// Body is the size of a request, in bytes: 8 MiB.
	Body int
	// Calls is how many calls one request may hold: 4096.
	Calls int
	// Wait is the longest wait_ms that counts, 5 minutes. A longer one is cut.
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

// Service answers operations.
type Service struct {
	// Calls is exported for what is not one answer to one question: event
	// streams and the bytes of large results.
	Calls Calls
	// Limits are complete.
	Limits Limits

	catalog Catalog
	agents  AgentStore
	gate    Gate
	remotes Remotes
	log     *zap.Logger

	upstreams Upstreams
}

// New returns a service over its parts.
func New(calls Calls, cat Catalog, agents AgentStore, limits Limits, log *zap.Logger) *Service {
	return &Service{Calls: calls, Limits: limits.withDefaults(), catalog: cat, agents: agents, log: log}
}

// Do runs one operation. Its error is always a [*dispatcher.RequestError]; what
// caused it beyond that, and a panic, is in the log.
func (s *Service) Do(ctx context.Context, op Operation, in Input) (reply Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.log.Error("a request crashed", zap.String("operation", op.Name), zap.Any("panic", v), zap.Stack("stack"))
			reply, err = Reply{}, Crashed()
		}
	}()
	if len(in.Body) > s.Limits.Body {
		return Reply{}, s.Limits.bodyTooLarge()
	}
	if in.Tenant, err = Tenant(cmp.Or(in.Tenant, in.By.Tenant)); err != nil {
		return Reply{}, err
	}
	if err := op.Permits(in.By); err != nil {
		return Reply{}, err
	}
	if in.By, err = narrow(in, "", ""); err != nil {
		return Reply{}, err
	}
	reply, err = op.run(s, identity.With(ctx, in.By), in)
	if err != nil {
		failure, expected := AsRequestError(err)
		if !expected {
			s.log.Warn("a request failed", zap.String("operation", op.Name), zap.String("tenant", in.Tenant), zap.Error(err))
		}
		return Reply{}, failure
	}
	return reply, nil
}

func (l Limits) bodyTooLarge() *dispatcher.RequestError {
	return TooLarge("the body is larger than %d bytes; split the request or send files by reference", l.Body)
}

// array returns list so that JSON shows an array even where nothing is in it.
func array[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// answer encodes v as a reply.
func answer(v any) (Reply, error) {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return Reply{}, err
	}
	return Reply{Body: bytes.TrimSuffix(w.Bytes(), []byte("\n"))}, nil
}
