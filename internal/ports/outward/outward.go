// Package outward stands between the tools of a worker and the guarded network: it counts
// how the servers outside answer the tenants, and how often services are asked.
//
// # What it promises
//
// A server (host and port) that fails [Threshold] times in a row within [Window], without an answer that
// works in between, gets no requests of that tenant for [OpenFor]: they end immediately in
// network_error with the seconds until the next try. Then one request goes through; its
// outcome opens or closes the circuit. The failures are those to connect, time-outs, and
// the answers 502, 503 and 504. A tenant's failures never delay another tenant. At most
// [MaxCircuits] servers are tracked; beyond that the ones without requests for longest are
// forgotten. A request of a service beyond its limit ends in rate_limited with the seconds
// to wait.
//
// # What it does not promise
//
// Each worker has circuits of its own. Only the first address of a request counts, and only
// until the answer begins: what fails behind a redirect or in a body opens nothing.
package outward

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// Rates counts the requests of services over all workers.
type Rates interface {
	// Take counts a request under a name. A wait above 0 means that it is refused.
	Take(ctx context.Context, tenant, user string, names ...string) (time.Duration, error)
}

// RatePrefix begins the names under which [Rates] counts services, so that they differ from
// tools.
const RatePrefix = "service:"

// Options holds the callbacks of an Outward. All may be nil.
type Options struct {
	// Rates limits the requests of services.
	Rates Rates
	// Opened is called when a circuit opens, with the address of the server. It must
	// neither wait nor call back.
	Opened func(tenant, address string)
}

// Outward has the state of all tenants. It is safe for concurrent use.
type Outward struct {
	rates    Rates
	circuits *circuits
}

// New returns an Outward without any failures.
func New(o Options) *Outward {
	return &Outward{rates: o.Rates, circuits: newCircuits(o.Opened)}
}

// HTTP returns a port that sends the requests of a tenant's user through next.
func (o *Outward) HTTP(tenant, user string, next tool.HTTP) tool.HTTP {
	return &httpPort{caller{o, tenant, user}, next}
}

// Dialer returns a port that opens the connections of a tenant's user through next.
func (o *Outward) Dialer(tenant, user string, next tool.Dialer) tool.Dialer {
	return &dialer{caller{o, tenant, user}, next}
}

// caller is the person on whose behalf a request is sent.
type caller struct {
	o            *Outward
	tenant, user string
}

// begin admits a request to an address, or refuses it. The caller passes the outcome to
// end.
func (c caller) begin(ctx context.Context, address string) (end func(verdict), err error) {
	if err := c.count(ctx); err != nil {
		return nil, err
	}
	if address == "" { // it cannot be requested
		return func(verdict) {}, nil
	}
	return c.o.circuits.begin(target{c.tenant, address, slices.Contains(tool.Reachable(ctx), address)})
}

// count counts a request of a service.
func (c caller) count(ctx context.Context) error {
	service := tool.ServiceOf(ctx)
	if service == "" || c.o.rates == nil {
		return nil
	}
	wait, err := c.o.rates.Take(ctx, c.tenant, c.user, RatePrefix+service)
	switch {
	case ctx.Err() != nil:
		return tool.AsError(ctx.Err())
	case err != nil:
		return tool.Fail(tool.NetworkError, "the requests to the service %s cannot be counted now; try again later", service).Because(err)
	case wait > 0:
		s := seconds(wait)
		return tool.Fail(tool.RateLimited, "the service %s has had as many requests as the operator allows; try again in %d seconds",
			service, s).With("retryAfter", s)
	}
	return nil
}

type httpPort struct {
	caller
	next tool.HTTP
}

// Do implements [tool.HTTP].
func (p *httpPort) Do(req *http.Request) (*http.Response, error) { return p.send(req, p.next.Do) }

// once is the part of a port that returns a redirect instead of following it.
type once interface {
	DoOnce(req *http.Request) (*http.Response, error)
}

// DoOnce is Do, but returns a redirect instead of following it.
func (p *httpPort) DoOnce(req *http.Request) (*http.Response, error) {
	next, ok := p.next.(once)
	if !ok {
		return nil, tool.Fail(tool.ExecutionError, "a request cannot be sent here without following redirects; send it with them")
	}
	return p.send(req, next.DoOnce)
}

func (p *httpPort) send(req *http.Request, do func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	address := addressOf(req.URL)
	end, err := p.begin(req.Context(), address)
	if err != nil {
		return nil, err
	}
	outcome := ignored // if do panics
	defer func() { end(outcome) }()
	began := time.Now()
	resp, err := do(req)
	outcome = judge(resp, err, address, time.Since(began))
	return resp, err
}

type dialer struct {
	caller
	next tool.Dialer
}

// DialContext implements [tool.Dialer].
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	end, err := d.begin(ctx, address)
	if err != nil {
		return nil, err
	}
	outcome := ignored // if the dialer panics
	defer func() { end(outcome) }()
	began := time.Now()
	conn, err := d.next.DialContext(ctx, network, address)
	outcome = judge(nil, err, address, time.Since(began))
	return conn, err
}

// addressOf returns the HOST:PORT that a URL is requested at, empty if it cannot be
// requested.
func addressOf(u *url.URL) string {
	if u == nil {
		return ""
	}
	host, err := scope.PlainHost(u.Hostname())
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	if err != nil || host == "" || port == "" {
		return ""
	}
	return net.JoinHostPort(host, port)
}
