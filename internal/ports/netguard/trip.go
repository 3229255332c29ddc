package netguard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// trip is one request with its redirects.
type trip struct {
	guard      *Guard
	within     []tool.Scopes
	reach      reach
	patient    bool
	ended      func() error // the reason why the request must end, if any
	at         *url.URL
	redirected bool
	left       bool // a redirect has left the first host
}

var errRedirects = errors.New("too many redirects")

// harmless lists headers that reveal nothing about the sender; any other header may be
// a credential and is sent only to the host it was meant for.
var harmless = []string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Encoding",
	"Content-Language", "Content-Type", "If-Modified-Since", "If-None-Match", "Range", "User-Agent",
}

// follow checks a redirect; net/http calls it before each. The headers of the first
// request are copied for every hop, so they are dropped on each hop after the first
// host was left, even on the way back to it.
func (t *trip) follow(req *http.Request, via []*http.Request) error {
	t.at, t.redirected = req.URL, true
	if len(via) > maxRedirects {
		return errRedirects
	}
	if err := t.check(req.URL); err != nil {
		return err
	}
	t.left = t.left || !sameSite(via[0].URL, req.URL)
	if t.left {
		for name := range req.Header {
			if !slices.Contains(harmless, name) {
				delete(req.Header, name)
			}
		}
	}
	return nil
}

// check checks a URL against the guard and the scopes.
func (t *trip) check(u *url.URL) error {
	host, port, err := parse(u)
	if err != nil {
		return err
	}
	if !t.reach.has(host, port) {
		if err := t.guard.check(host, port); err != nil {
			return err
		}
	}
	return scope.Host(u.Hostname(), port, t.within...)
}

// sameSite reports whether to may see headers meant for from: the same host and port,
// or its HTTPS equivalent.
func sameSite(from, to *url.URL) bool {
	fromHost, err1 := scope.PlainHost(from.Hostname())
	toHost, err2 := scope.PlainHost(to.Hostname())
	fromPort, err3 := portOf(from)
	toPort, err4 := portOf(to)
	if errors.Join(err1, err2, err3, err4) != nil || fromHost != toHost {
		return false
	}
	same := from.Scheme == to.Scheme && fromPort == toPort
	upgrade := from.Scheme == "http" && fromPort == 80 && to.Scheme == "https" && toPort == 443
	return same || upgrade
}

// RoundTrip implements [http.RoundTripper]. Addresses that only this call may reach have
// connections of their own.
func (t *trip) RoundTrip(req *http.Request) (*http.Response, error) {
	via, patient := t.guard.transport, t.guard.patient
	if host, port, err := parse(req.URL); err == nil && t.reach.has(host, port) {
		via, patient = t.guard.opened, t.guard.patientOpened
	}
	if t.patient {
		via = patient
	}
	return via.RoundTrip(req)
}
