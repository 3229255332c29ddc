package netguard

import (
	"net/http"
	"slices"

	"github.com/helve-dev/helve/internal/scope"
	"github.com/helve-dev/helve/tool"
)

// Within returns the guard for a call that may reach only the hosts within
// every one of the scopes: each URL of the way, redirects included, is held
// against them by its host before anything is looked up or dialed, and fails
// with permission_denied. What the guard refuses stays refused. Without a
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

// DoOnce is Do, except that a redirect is the answer.
func (s *scoped) DoOnce(req *http.Request) (*http.Response, error) {
	return s.guard.do(req, s.within, true)
}
