package netguard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/helve-dev/helve/internal/scope"
	"github.com/helve-dev/helve/tool"
)

// trip is the way of one request through its redirects.
type trip struct {
	guard      *Guard
	within     []tool.Scopes
	ended      func() error // why the request must end, if it must
	at         *url.URL
	redirected bool
	left       bool // some hop was not the first host any more
}

var errRedirects = errors.New("too many redirects")

// harmless headers say nothing of who sends them; any other may be a
// credential, whatever its name, and stays with the host it was meant for.
var harmless = []string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Encoding",
	"Content-Language", "Content-Type", "If-Modified-Since", "If-None-Match", "Range", "User-Agent",
}

// follow judges a redirect; net/http calls it before each. The headers of the
// first request are copied anew for every hop, so they are dropped on each one
// after the first host was left, even on the way back to it.
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

// check judges a URL by the guard and by the scopes.
func (t *trip) check(u *url.URL) error {
	if err := t.guard.check(u); err != nil {
		return err
	}
	port, err := portOf(u)
	if err != nil {
		return err
	}
	return scope.Host(u.Hostname(), port, t.within...)
}

// sameSite reports whether to may see what was meant for from: the same host
// and port, or its secure side.
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
