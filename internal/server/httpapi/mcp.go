package httpapi

import (
	"net/http"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// mcp is the operation as which /mcp is guarded: any request there may be a call.
var mcp = func() api.Operation {
	op := api.Find(api.Execute)
	op.Name = "mcp"
	return op
}()

// serveMCP serves MCP clients, at an address for each tool set and one for all tools.
func (h *handler) serveMCP(mux *http.ServeMux) {
	serve := h.asked(mcp, func(w http.ResponseWriter, r *http.Request, by identity.Principal) {
		if err := h.svc.KnowsToolset(by, r.PathValue("toolset")); err != nil {
			writeProblem(w, err)
			return
		}
		paid, err := h.budget.open(payer(r, by))
		if err != nil {
			writeProblem(w, err)
			return
		}
		defer paid.close()
		h.Open.MCP.Add(1)
		defer h.Open.MCP.Add(-1)
		r = r.WithContext(identity.With(r.Context(), by))
		r.Body = paid.meter(r.Body)
		h.MCP.ServeHTTP(w, r)
	})
	// Some clients add a slash to an address.
	for _, path := range []string{"/mcp", "/mcp/{$}", "/mcp/{toolset}", "/mcp/{toolset}/{$}"} {
		mux.Handle(path, serve)
	}
}
