// Package netguard lets tools reach the public internet and nothing else.
//
// A [Guard] is the tool.HTTP port. It judges the address that is dialed, after
// the name was resolved and again for each redirect, so neither a redirect nor
// a name server that changes its answer leads to an internal address. What an
// operator wants reached nevertheless is named in [Options]; what a call may not
// reach although it is public is kept from it by [Guard.Within]. Environment
// variables such as HTTP_PROXY are not obeyed: a proxy would dial unguarded.
//
// Every error is a [tool.Error]: permission_denied for what the guard refuses,
// validation_error for a URL that is not one, network_error, timeout or
// cancelled for the rest, also while a body is read.
//
// # What it does not promise
//
// A public host may be anything; the guard judges addresses, not contents. A
// machine's own public address counts as public. A request lasts as long as
// its context allows.
package netguard

import (
	"cmp"
	"net"
	"net/http"
	"time"

	"code.dny.dev/ssrf"

	"github.com/helve-dev/helve/tool"
)

// The bounds on what a server can cost the worker.
const (
	// MaxBody is the most bytes one response body yields, after decompression.
	MaxBody = 64 << 20

	maxHeaders       = 1 << 20
	maxRedirects     = 10
	dialTimeout      = 10 * time.Second
	handshakeTimeout = 10 * time.Second
	headerTimeout    = 30 * time.Second
	idleTimeout      = 30 * time.Second
)

// Options says what the guard lets through beside public hosts.
type Options struct {
	// Allow opens the guard for internal addresses and closed ports. An entry
	// is HOST, HOST:PORT, IP, IP:PORT or CIDR; without a port every port is
	// open. A name opens whatever it resolves to, for that name only.
	Allow []string
	// Resolver looks up names; nil means the machine's own.
	Resolver *net.Resolver
	// HeaderTimeout is how long a server may take to begin its answer; 0 is 30 seconds.
	HeaderTimeout time.Duration
}

// Guard sends HTTP requests to public hosts. It is safe for concurrent use and
// must be closed.
type Guard struct {
	allow     allowList
	public    *ssrf.Guardian
	resolver  *net.Resolver
	transport *http.Transport
}

var _ tool.HTTP = (*Guard)(nil)

// New returns a guard. The error names every entry of opts.Allow that is not
// one of the forms.
func New(opts Options) (*Guard, error) {
	allow, err := parseAllow(opts.Allow)
	if err != nil {
		return nil, err
	}
	g := &Guard{allow: allow, public: publicOnly(), resolver: opts.Resolver}
	g.transport = &http.Transport{
		Proxy:                  nil,
		DialContext:            g.dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    handshakeTimeout,
		ResponseHeaderTimeout:  cmp.Or(opts.HeaderTimeout, headerTimeout),
		MaxResponseHeaderBytes: maxHeaders,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        idleTimeout,
	}
	return g, nil
}

// Do sends req and follows at most 10 redirects. Its context bounds everything
// up to the last byte of the body, which the caller must close. The Host header
// is that of the URL. Once a redirect leaves the first host, only headers that
// carry no secrets go along.
func (g *Guard) Do(req *http.Request) (*http.Response, error) { return g.do(req, nil, false) }

// DoOnce is Do, except that a redirect is the answer.
func (g *Guard) DoOnce(req *http.Request) (*http.Response, error) { return g.do(req, nil, true) }

func (g *Guard) do(req *http.Request, within []tool.Scopes, once bool) (*http.Response, error) {
	t := &trip{guard: g, within: within, ended: req.Context().Err, at: req.URL}
	if err := t.check(req.URL); err != nil {
		return nil, t.explain(err)
	}
	if req.Host != "" && req.Host != req.URL.Host {
		return nil, tool.Fail(tool.ValidationError, "the Host header cannot be set; it follows from the URL")
	}
	client := http.Client{Transport: g.transport, CheckRedirect: t.follow}
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

// Close closes the connections that are kept for later requests. Requests
// under way go on.
func (g *Guard) Close() { g.transport.CloseIdleConnections() }
