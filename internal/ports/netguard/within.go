package netguard

import (
	"net/http"
	"slices"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// Within returns the guard for a call that may reach only the hosts within every one of
// the scopes: each URL, redirects included, is checked by its host before any lookup or
// connection, and fails with permission_denied. Refusals of the guard remain. Without a
// restriction it returns g.
func (g *Guard) Within(within ...tool.Scopes) tool.HTTP {
	if scope.AnyHost(within...) {
		return g
	}
	return &scoped{g, slices.Clone(within)}
}

// scoped is a guard for one call.
type scoped struct {
	guard  *Guard
	within []tool.Scopes
}

// Do implements [tool.HTTP].
func (s *scoped) Do(req *http.Request) (*http.Response, error) {
	return s.guard.do(req, s.within, false)
}

// DoOnce is Do, but returns a redirect instead of following it.
func (s *scoped) DoOnce(req *http.Request) (*http.Response, error) {
	return s.guard.do(req, s.within, true)
}
