package api

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/identity"
)

// Names of the operations that transports handle separately.
const (
	Execute = "execute"
	Events  = "events"
)

// Operation is one row of the table: its name on NATS, its form over HTTP, and its
// parameters.
type Operation struct {
	Name   string
	Method string
	// Path is a pattern of net/http; names in braces are also in Params.
	Path string
	// Params are the string parameters: path and query over HTTP, fields of the
	// body on NATS.
	Params []string
	// Numbers are the Params that may be JSON numbers on NATS.
	Numbers []string
	// Flags are the Params that may be JSON booleans on NATS.
	Flags []string
	// Body is set if the operation takes a JSON body over HTTP too.
	Body bool
	// Changes is set if the operation can change something, so that a foreign web page
	// must not be able to request it.
	Changes bool
	// Roles are the roles that may use the operation: one is enough, an empty list
	// means any caller.
	Roles []identity.Role
	// Public is set if the operation needs no credential over HTTP.
	Public bool

	run func(*Service, context.Context, Input) (Reply, error)
}

// Input is a request from any transport.
type Input struct {
	// Tenant is the tenant of the request; empty means [DefaultTenant].
	Tenant string
	// By is the caller, as authenticated by the transport.
	By identity.Principal
	// Params holds the values of the operation's Params; absent ones are empty.
	Params map[string]string
	// Body is the JSON body. Calls keep parts of it, so it must not be reused.
	Body []byte
	// Traceparent is the W3C header of that name, if any.
	Traceparent string
	// Language is the header Accept-Language, if any.
	Language string
	// Span is that of the request, which the transport ends; nil for none.
	Span Span
	// Via is the origin of the request, as policy rules name it; empty for direct
	// requests.
	Via string
	// Fresh is set if the transport made the call_id in the body with
	// [dispatcher.NewID], for this request alone.
	Fresh bool
	// Ending, if not nil, is closed when the server stops: waits for changes end.
	Ending <-chan struct{}
}

// Span is the span of a request. It begins once the caller is known.
type Span interface {
	// Begin starts the span with a traceparent or a bare trace id, empty for a new trace.
	// It returns the span in a context, and its traceparent: empty if nothing is traced,
	// or if it has begun before.
	Begin(ctx context.Context, parent, tenant string) (context.Context, string)
}

// begin starts the span of the request, if there is one.
func (in *Input) begin(ctx context.Context, parent string) (context.Context, string) {
	if in.Span == nil {
		return ctx, ""
	}
	return in.Span.Begin(ctx, parent, in.Tenant)
}

// Reply is an answer: one JSON value, without a line break at its end.
type Reply struct {
	Body []byte
	// Plain, if ContentType names its type, is sent over HTTP in place of Body.
	Plain       []byte
	ContentType string
	// RetryAfter is above 0 if every call was refused as overloaded. Body then still
	// has each call's result.
	RetryAfter time.Duration
	// Reason is the reason of that, unless it is that too many calls wait.
	Reason string
	// Limited is set if the reason is a quota.
	Limited bool
}

// Find returns the operation named name, which must be in the table.
func Find(name string) Operation {
	for _, op := range operations {
		if op.Name == name {
			return op
		}
	}
	panic("api: no operation " + name)
}

// Operations returns the table, in the order of the protocol.
func Operations() []Operation { return append([]Operation(nil), operations...) }
