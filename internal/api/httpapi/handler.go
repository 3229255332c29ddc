package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/identity"
)

// Options tune a handler. The zero value is ready to use.
type Options struct {
	// AllowedHosts are host names, without port, under which the server may be
	// asked to change something. Loopback names and IP addresses always are.
	AllowedHosts []string
	// AllowedOrigins are the origins of foreign web pages, like https://app.example,
	// that may use the API from a browser. There are none unless they are named.
	AllowedOrigins []string
	// KeepAlive is how often a silent event stream shows that it is alive: 15 s.
	KeepAlive time.Duration
	// Patience is how long a client may take nothing of a stream or a large
	// answer before its connection is cut: 10 s.
	Patience time.Duration
	// BodyTime is how long the body of a request may take to arrive: 1 minute.
	BodyTime time.Duration
	// Draining, once closed, ends event streams, so that a server can stop.
	Draining <-chan struct{}
	// Auth says who a caller is. While it is nil or not on, nobody is asked:
	// each has every role in the tenant that the header Helve-Tenant names.
	Auth *identity.Authenticator
	// MCP, if it is not nil, serves /mcp. Who asks is in the context of its requests.
	MCP http.Handler
	// Log takes what no client may see.
	Log *zap.Logger
}

type handler struct {
	Options

	svc     *api.Service
	hosts   map[string]bool
	origins Origins
	refused refused
}

// Handler serves the operations under /v1/, and what describes them at
// /openapi.json. Every other path is answered with a problem, not_found.
func Handler(svc *api.Service, o Options) http.Handler {
	if o.KeepAlive == 0 {
		o.KeepAlive = 15 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.BodyTime == 0 {
		o.BodyTime = time.Minute
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	h := &handler{Options: o, svc: svc, hosts: map[string]bool{}, origins: NewOrigins(o.AllowedOrigins), refused: refused{log: o.Log}}
	for _, host := range o.AllowedHosts {
		h.hosts[hostName(host)] = true
	}
	routes := routes{}
	for _, op := range api.Operations() {
		routes.add(op.Method, op.Path, h.asked(op, h.operation(op)))
		switch op.Name {
		case api.Events: // in place of the table's refusal
			routes.add(op.Method, op.Path, h.asked(op, h.events))
		case "calls.get": // who may see a call may see its result
			routes.add(op.Method, op.Path+"/result", h.asked(op, h.result))
		}
	}
	routes.add(http.MethodGet, "/openapi.json", h.describe())
	mux := routes.mux()
	if h.MCP != nil {
		mux.Handle("/mcp", h.asked(mcp, func(w http.ResponseWriter, r *http.Request, by identity.Principal) {
			h.MCP.ServeHTTP(w, r.WithContext(identity.With(r.Context(), by)))
		}))
	}
	return h.recovering(h.hurried(h.origins.Share(mux)))
}

// mcp is what /mcp is guarded as: whatever comes there may be a call.
var mcp = func() api.Operation {
	op := api.Find(api.Execute)
	op.Name = "mcp"
	return op
}()

// operation serves one row of the table.
func (h *handler) operation(op api.Operation) served {
	return func(w http.ResponseWriter, r *http.Request, by identity.Principal) {
		ctx := r.Context()
		if op.Changes {
			ctx = context.WithoutCancel(ctx) // a change is not left half done
		}
		in := api.Input{Tenant: by.Tenant, By: by, Traceparent: r.Header.Get("Traceparent")}
		var reply api.Reply
		err := h.fill(&in, w, r, op)
		if err == nil {
			reply, err = h.svc.Do(ctx, op, in)
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

// fill reads what the operation takes into in.
func (h *handler) fill(in *api.Input, w http.ResponseWriter, r *http.Request, op api.Operation) (err error) {
	if len(op.Params) > 0 {
		if in.Params, err = params(r, op); err != nil {
			return err
		}
	}
	if op.Body {
		in.Body, err = h.readBody(w, r)
	}
	return err
}

// params gathers the operation's parameters from the path and the query.
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
