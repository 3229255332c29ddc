package httpapi

import (
	"net/http"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// export streams all data of a person.
func (h *handler) export(op api.Operation) served {
	return func(w http.ResponseWriter, r *http.Request, by identity.Principal) {
		in := api.Input{Tenant: by.Tenant, By: by}
		var err error
		if in.Params, err = params(r, op); err != nil {
			writeProblem(w, err)
			return
		}
		begun := false
		out := pieces{w, http.NewResponseController(w), h.Patience}
		err = h.svc.StreamExport(r.Context(), op, in, func(media string) {
			begun = true
			w.Header().Set("Content-Disposition", "attachment")
			writeHead(w, http.StatusOK, media, -1)
		}, out)
		switch {
		case err != nil && begun:
			h.Log.Info("personal data not sent completely", zap.String("tenant", in.Tenant), zap.Error(err))
			panic(http.ErrAbortHandler) // the answer must not look complete
		case err != nil:
			failure, expected := api.AsRequestError(err)
			if !expected {
				h.Log.Warn("personal data not exported", zap.String("tenant", in.Tenant), zap.Error(err))
			}
			writeProblem(w, failure)
		case !begun: // nothing is stored, or in the format
			writeHead(w, http.StatusOK, api.MediaType(in.Params["format"]), 0)
		default:
			_ = out.control.Flush() // a client that left is no failure
		}
	}
}
