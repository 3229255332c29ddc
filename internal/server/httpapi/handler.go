package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/signin"
	"github.com/helve-dev/helve/internal/telemetry"
)

// Options configure a handler. The zero value is ready to use.
type Options struct {
	// AllowedHosts are host names, without port, that requests with side effects may
	// use. Loopback names and IP addresses are always allowed.
	AllowedHosts []string
	// AllowedOrigins are the origins of foreign web pages, like https://app.example,
	// that may use the API from a browser; none by default.
	AllowedOrigins []string
	// KeepAlive is the interval of keep-alives on a silent event stream: 15 s.
	KeepAlive time.Duration
	// Patience is the time after which a client that reads nothing of a stream or a
	// large answer is disconnected: 10 s.
	Patience time.Duration
	// BodyTime is the time in which the body of a request must arrive: 1 minute.
	BodyTime time.Duration
	// BodyMemory bounds the memory of all bodies being read or not answered yet: 256
	// MiB. One credential may use a quarter of it.
	BodyMemory int64
	// MaxFile bounds a file that is uploaded: 64 MiB.
	MaxFile int64
	// MaxStreams is the maximum number of open event streams per credential: 100.
	MaxStreams int
	// Draining, once closed, ends event streams, so that a server can stop.
	Draining <-chan struct{}
	// Auth authenticates callers. If it is nil or off, there is no authentication: each
	// caller has every role in the tenant named by the header Helve-Tenant.
	Auth *identity.Authenticator
	// MCP, if not nil, serves /mcp. The caller is in the context of its requests, the tool set
	// in their path value toolset.
	MCP http.Handler
	// Connect, if not nil, connects accounts of people through their browsers.
	Connect api.Connector
	// Console, if not nil, serves the pages of the console, and hands other requests to the
	// handler it is given.
	Console func(next http.Handler) http.Handler
	// SignIn, if not nil, signs people in with their browsers. Without authentication it is
	// not used.
	SignIn *signin.Service
	// Log receives errors that clients must not see.
	Log *zap.Logger
	// Answered, if set, is called for each answer; operation is a row of the table, mcp,
	// connect, login, logout, or other for a path or method without one.
	Answered func(operation string, status int)
	// Tracing makes a span of each request for an operation; it may be nil.
	Tracing *telemetry.Tracing
	// Open counts the requests that are being answered; it may be nil.
	Open *Open
}

// Open counts what clients have open.
type Open struct {
	// Streams are event streams, MCP requests to /mcp.
	Streams, MCP atomic.Int64
}

type handler struct {
	Options

	svc     *api.Service
	hosts   hosts
	origins Origins
	refused refused
	budget  *budget
	streams eventStreams
	// transfers counts the files that are transferred.
	transfers eventStreams
}

// fill sets what nobody has set.
func (o *Options) fill() {
	if o.KeepAlive == 0 {
		o.KeepAlive = 15 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.BodyTime == 0 {
		o.BodyTime = time.Minute
	}
	if o.MaxFile == 0 {
		o.MaxFile = 64 << 20
	}
	if o.MaxStreams == 0 {
		o.MaxStreams = 100
	}
	if o.Open == nil {
		o.Open = &Open{}
	}
	if o.Answered == nil {
		o.Answered = func(string, int) {}
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
}

// Handler serves the operations under /v1/, and their description at /openapi.json.
// Every other path is answered with the problem not_found.
func Handler(svc *api.Service, o Options) http.Handler {
	o.fill()
	h := &handler{
		Options: o,
		svc:     svc,
		hosts:   newHosts(o.AllowedHosts),
		origins: NewOrigins(o.AllowedOrigins),
		refused: refused{log: o.Log},
		budget:  newBudget(o.BodyMemory, svc.Limits.Body),
	}
	h.streams.most, h.transfers.most = o.MaxStreams, maxTransfers
	routes := routes{}
	for _, op := range api.Operations() {
		if strings.HasPrefix(op.Path, filesPath) {
			continue // served before the mux
		}
		routes.add(op.Method, op.Path, h.asked(op, h.operation(op)))
		switch op.Name {
		case api.Events: // in place of the table's refusal
			routes.add(op.Method, op.Path, h.asked(op, h.events))
		case api.DataExport: // streamed, and of any size
			routes.add(op.Method, op.Path, h.asked(op, h.export(op)))
		case "calls.get": // a caller who may see a call may see its result
			routes.add(op.Method, op.Path+"/result", h.asked(op, h.result))
		}
	}
	routes.add(http.MethodGet, "/openapi.json", h.describe())
	if h.Connect != nil {
		h.connects(routes)
	}
	if h.SignIn != nil && h.Auth.On() {
		h.signingIn(routes)
	}
	mux := routes.mux()
	if h.MCP != nil {
		h.serveMCP(mux)
	}
	inside := h.files(mux)
	if h.Console != nil {
		inside = h.Console(inside)
	}
	return h.recovering(h.boundBody(h.origins.Share(inside)))
}

// operation serves one row of the table.
func (h *handler) operation(op api.Operation) served {
	return func(w http.ResponseWriter, r *http.Request, by identity.Principal) {
		ctx := r.Context()
		if op.Changes {
			ctx = context.WithoutCancel(ctx) // a change is not left unfinished
		}
		in := api.Input{
			Tenant: by.Tenant, By: by, Traceparent: r.Header.Get("Traceparent"), Language: r.Header.Get("Accept-Language"), Ending: h.Draining,
		}
		span := h.Tracing.HTTPRequest(op.Name, op.Method, op.Path)
		in.Span = span
		endWith(w, span)
		var reply api.Reply
		paid, err := h.fill(&in, w, r, op, by)
		if err == nil {
			reply, err = h.svc.Do(ctx, op, in)
		}
		if paid != nil {
			paid.close()
		}
		switch {
		case err != nil:
			writeProblem(w, err)
		case reply.RetryAfter > 0:
			writeOverloaded(w, reply)
		case reply.ContentType != "":
			writePlain(w, reply)
		default:
			h.answer(w, r, reply.Body)
		}
	}
}

// fill sets the operation's input. The lease, nil for an operation without a body, is
// closed when the request is answered.
func (h *handler) fill(
	in *api.Input, w http.ResponseWriter, r *http.Request, op api.Operation, by identity.Principal,
) (paid *lease, err error) {
	if len(op.Params) > 0 {
		if in.Params, err = params(r, op); err != nil {
			return nil, err
		}
	}
	if op.Body {
		in.Body, paid, err = h.readBody(w, r, by)
	}
	return paid, err
}

// params returns the operation's parameters from the path and the query.
func params(r *http.Request, op api.Operation) (map[string]string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, api.BadRequest("the query string is malformed")
	}
	params := map[string]string{}
	for _, name := range op.Params {
		params[name] = query.Get(name)
		if value := r.PathValue(name); value != "" {
			params[name] = value
		}
	}
	return params, nil
}
