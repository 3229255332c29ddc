package api

import (
	"context"
	"net/http"
	"time"
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
	// Body says that the operation takes a JSON body over HTTP too.
	Body bool
	// Changes says that it can change something, so that a foreign web page must
	// not be able to ask for it.
	Changes bool

	run func(*Service, context.Context, Input) (Reply, error)
}

// Input is a request, whatever way it came.
type Input struct {
	// Tenant is who it is for; empty means [DefaultTenant].
	Tenant string
	// Params holds the values of the operation's Params; absent ones are empty.
	Params map[string]string
	// Body is the JSON body as it came. Calls keep parts of it, so it must not
	// be used again.
	Body []byte
	// Traceparent is the W3C header of that name, if any.
	Traceparent string
}

// Reply is an answer: one JSON value, without a line break at its end.
type Reply struct {
	Body []byte
	// RetryAfter is above 0 when every call was refused as overloaded. Body then
	// still holds each call's result.
	RetryAfter time.Duration
}

var operations = []Operation{
	{Name: Execute, Method: http.MethodPost, Path: "/v1/execute", Body: true, Changes: true, run: (*Service).execute},
	{Name: "tools.list", Method: http.MethodGet, Path: "/v1/tools", Params: []string{"format", "agent", "group", "category", "q"}, run: (*Service).listTools},
	{Name: "tools.get", Method: http.MethodGet, Path: "/v1/tools/{name}", Params: []string{"name"}, run: (*Service).getTool},
	{Name: "calls.get", Method: http.MethodGet, Path: "/v1/calls/{call_id}", Params: []string{"call_id"}, run: (*Service).getCall},
	{Name: "calls.cancel", Method: http.MethodPost, Path: "/v1/calls/{call_id}/cancel", Params: []string{"call_id"}, Changes: true, run: (*Service).cancelCall},
	{Name: Events, Method: http.MethodGet, Path: "/v1/events", Params: []string{"trace_id"}, run: (*Service).refuseEvents},
	{Name: "agents.list", Method: http.MethodGet, Path: "/v1/agents", run: (*Service).listAgents},
	{Name: "agents.get", Method: http.MethodGet, Path: "/v1/agents/{agent}", Params: []string{"agent"}, run: (*Service).getAgent},
	{Name: "agents.put", Method: http.MethodPut, Path: "/v1/agents/{agent}", Params: []string{"agent"}, Body: true, Changes: true, run: (*Service).putAgent},
	{Name: "agents.delete", Method: http.MethodDelete, Path: "/v1/agents/{agent}", Params: []string{"agent"}, Changes: true, run: (*Service).deleteAgent},
	{Name: "groups.list", Method: http.MethodGet, Path: "/v1/groups", run: (*Service).listGroups},
}

// Operations returns the table, in the order of the protocol.
func Operations() []Operation { return append([]Operation(nil), operations...) }
