package httpapi

import (
	"net/http"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/identity"
)

// result sends the JSON value that a call returned, as it is stored.
func (h *handler) result(w http.ResponseWriter, r *http.Request, by identity.Principal) {
	id := r.PathValue("call_id")
	if err := api.CallID(id); err != nil {
		writeProblem(w, err)
		return
	}
	value, size, err := h.svc.Calls.Result(r.Context(), by.Tenant, id)
	if err != nil {
		if _, expected := api.AsRequestError(err); !expected {
			h.Log.Warn("a result cannot be read", zap.String("call_id", id), zap.Error(err))
		}
		writeProblem(w, err)
		return
	}
	defer func() { _ = value.Close() }()

	if err := h.send(w, r, value, size); err != nil {
		h.Log.Info("a result was not sent whole", zap.String("call_id", id), zap.Error(err))
		panic(http.ErrAbortHandler) // what was sent must not look complete
	}
}
