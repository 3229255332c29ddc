package api

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/identity"
)

// Names of the operations that transports treat apart from the others.
const (
	Execute = "execute"
	Events  = "events"
)

// Operation is one row of the table: its name on NATS, its form over HTTP, and
// what it takes.
type Operation struct {
	Name   string
	Method string
	// Path is a pattern of net/http; what stands in braces is also in Params.
	Path string
	// Params are the string parameters: path and query over HTTP, fields of the
	// body on NATS.
	Params []string
	// Numbers are those of Params that may be JSON numbers on NATS.
	Numbers []string
	// Body says that the operation takes a JSON body over HTTP too.
	Body bool
	// Changes says that it can change something, so that a foreign web page must
	// not be able to ask for it.
	Changes bool
	// Roles may ask for it: one of them is enough, none named means any caller.
	Roles []identity.Role

	run func(*Service, context.Context, Input) (Reply, error)
}

// Input is a request, whatever way it came.
type Input struct {
	// Tenant is who it is for; empty means [DefaultTenant].
	Tenant string
	// By is who asks, as the transport made sure of it.
	By identity.Principal
	// Params holds the values of the operation's Params; absent ones are empty.
	Params map[string]string
	// Body is the JSON body as it came. Calls keep parts of it, so it must not
	// be used again.
	Body []byte
	// Traceparent is the W3C header of that name, if any.
	Traceparent string
	// Via is the way the request came, as rules know it; empty is directly.
	Via string
	// Fresh says that the transport made the call_id in the body with
	// [dispatcher.NewID], for this request alone.
	Fresh bool
}

// Reply is an answer: one JSON value, without a line break at its end.
type Reply struct {
	Body []byte
	// Plain, where ContentType names its type, is what HTTP sends in place of
	// Body.
	Plain       []byte
	ContentType string
	// RetryAfter is above 0 when every call was refused as overloaded. Body then
	// still holds each call's result.
	RetryAfter time.Duration
}

// Find returns the operation of that name, which must be in the table.
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
