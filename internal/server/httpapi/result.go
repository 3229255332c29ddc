package httpapi

import (
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// result sends the JSON value that a call returned, as stored.
func (h *handler) result(w http.ResponseWriter, r *http.Request, by identity.Principal) {
	id := r.PathValue("call_id")
	if err := api.CallID(id); err != nil {
		writeProblem(w, err)
		return
	}
	begun := time.Now()
	value, size, err := h.svc.Calls.Result(identity.With(r.Context(), by), by.Tenant, id)
	if err = api.Slowed(r.Context(), by, begun, err); err != nil {
		if _, expected := api.AsRequestError(err); !expected {
			h.Log.Warn("a result cannot be read", zap.String("call_id", id), zap.Error(err))
		}
		writeProblem(w, err)
		return
	}
	defer func() { _ = value.Close() }()

	if err := h.send(w, r, value, size); err != nil {
		h.Log.Info("a result was not sent whole", zap.String("call_id", id), zap.Error(err))
		panic(http.ErrAbortHandler) // the answer must not look complete
	}
}
