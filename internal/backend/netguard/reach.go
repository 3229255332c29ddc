package netguard

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/helve-dev/helve/internal/scope"
	"github.com/helve-dev/helve/tool"
)

// reaches reports whether the context of a request adds the host and port to those that
// are allowed.
func reaches(ctx context.Context, host string, port uint16) bool {
	return slices.ContainsFunc(tool.Reachable(ctx), func(entry string) bool {
		h, p, err := splitHostPort(entry)
		return err == nil && h == host && p == port
	})
}

// reachesURL is reaches for the host of a URL.
func reachesURL(ctx context.Context, u *url.URL) bool {
	if len(tool.Reachable(ctx)) == 0 {
		return false
	}
	host, err := scope.PlainHost(u.Hostname())
	if err != nil {
		return false
	}
	port, err := portOf(u)
	return err == nil && reaches(ctx, host, port)
}

// byReach sends requests to hosts that only their context allows over connections of their
// own: a connection that is kept open would otherwise serve requests that may not reach
// its host.
type byReach struct{ guard *Guard }

// RoundTrip implements [http.RoundTripper].
func (r byReach) RoundTrip(req *http.Request) (*http.Response, error) {
	if reachesURL(req.Context(), req.URL) {
		return r.guard.reaching.RoundTrip(req)
	}
	return r.guard.transport.RoundTrip(req)
}
