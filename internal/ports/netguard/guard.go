// Package netguard lets tools reach the public internet and nothing else.
//
// A [Guard] is the tool.HTTP port. It checks the address that is dialed, after the name
// was resolved and again for each redirect, so neither a redirect nor a changing answer
// of a name server leads to an internal address. [Options] lists the operator's
// exceptions, a context those of one call ([tool.WithReach]); [Guard.Within] restricts a
// call to some hosts, and [Guard.Dialer] opens connections to mail servers. Environment
// variables such as HTTP_PROXY are not obeyed: a proxy would dial unguarded.
//
// Every error is a [tool.Error]: permission_denied for a refusal of the guard,
// validation_error for an invalid URL, otherwise network_error, timeout or cancelled,
// also while a body is read.
//
// # What it does not promise
//
// A public host may be malicious; the guard checks addresses, not contents. A machine's
// own public address counts as public. A request lasts as long as its context allows.
package netguard

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"code.dny.dev/ssrf"

	"github.com/helve-dev/helve/tool"
)

// Limits on what a server can cost the worker.
const (
	// MaxBody limits one response body, after decompression.
	MaxBody = 64 << 20

	maxHeaders       = 1 << 20
	maxRedirects     = 10
	dialTimeout      = 10 * time.Second
	handshakeTimeout = 10 * time.Second
	headerTimeout    = 30 * time.Second
	idleTimeout      = 30 * time.Second

	// maxIdle and maxIdlePerHost bound the connections that wait for a next request. A
	// worker sends as many requests to one API as it has slots; with fewer connections
	// than that, most requests would open one of their own.
	maxIdle        = 512
	maxIdlePerHost = 128
)

// Options lists what the guard allows beside public hosts.
type Options struct {
	// Allow permits internal addresses and closed ports. An entry is HOST, HOST:PORT,
	// IP, IP:PORT or CIDR; without a port every port is allowed. A name permits every
	// address that it resolves to, but only under this name.
	Allow []string
	// Resolver looks up names; nil means the machine's own.
	Resolver *net.Resolver
	// HeaderTimeout is the time within which a server must begin its answer, except for
	// calls that wait longer (tool.WithPatience); 0 means 30 seconds.
	HeaderTimeout time.Duration
}

// Guard sends HTTP requests to public hosts. It is safe for concurrent use and
// must be closed.
type Guard struct {
	allow     allowList
	public    *ssrf.Guardian
	resolver  *net.Resolver
	transport *http.Transport
	// opened has the connections to addresses that a call may reach beyond the others
	// (tool.WithReach), apart, so that no other call is given one of them.
	opened *http.Transport
	// patient and patientOpened are the same for calls that wait longer for an answer
	// (tool.WithPatience).
	patient, patientOpened *http.Transport
}

var _ tool.HTTP = (*Guard)(nil)

// New returns a guard. The error names every invalid entry of opts.Allow.
func New(opts Options) (*Guard, error) {
	allow, err := parseAllow(opts.Allow)
	if err != nil {
		return nil, err
	}
	g := &Guard{allow: allow, public: publicOnly(), resolver: opts.Resolver}
	wait := cmp.Or(opts.HeaderTimeout, headerTimeout)
	g.transport, g.patient = newTransport(g.dial, wait), newTransport(g.dial, 0)
	g.opened, g.patientOpened = newTransport(g.dialOpened, wait), newTransport(g.dialOpened, 0)
	return g, nil
}

// newTransport returns a transport that waits the given time for the beginning of an
// answer; 0 means as long as the request lasts.
func newTransport(dial func(ctx context.Context, network, address string) (net.Conn, error), wait time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    handshakeTimeout,
		ResponseHeaderTimeout:  wait,
		MaxResponseHeaderBytes: maxHeaders,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
	}
}

// Do sends req and follows at most 10 redirects. Its context limits everything up to
// the last byte of the body, which the caller must close. The Host header is that of
// the URL. Once a redirect leaves the first host, only headers without secrets are
// sent.
func (g *Guard) Do(req *http.Request) (*http.Response, error) { return g.do(req, nil, false) }

// DoOnce is Do, but returns a redirect instead of following it.
func (g *Guard) DoOnce(req *http.Request) (*http.Response, error) { return g.do(req, nil, true) }

func (g *Guard) do(req *http.Request, within []tool.Scopes, once bool) (*http.Response, error) {
	t := &trip{
		guard:   g,
		within:  within,
		reach:   reachOf(req.Context()),
		patient: tool.Patient(req.Context()),
		ended:   req.Context().Err,
		at:      req.URL,
	}
	if err := t.check(req.URL); err != nil {
		return nil, t.explain(err)
	}
	if req.Host != "" && req.Host != req.URL.Host {
		return nil, tool.Fail(tool.ValidationError, "the Host header cannot be set; it follows from the URL")
	}
	client := http.Client{Transport: t, CheckRedirect: t.follow}
	if once {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, t.explain(err)
	}
	resp.Body = &body{ReadCloser: resp.Body, left: MaxBody, explain: t.explain}
	return resp, nil
}

// Close closes idle connections. Pending requests continue.
func (g *Guard) Close() {
	for _, t := range []*http.Transport{g.transport, g.opened, g.patient, g.patientOpened} {
		t.CloseIdleConnections()
	}
}
