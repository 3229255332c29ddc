package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/dispatcher"
	"github.com/helve-dev/helve/internal/identity"
)

// served answers a request of somebody who is known.
type served func(w http.ResponseWriter, r *http.Request, by identity.Principal)

// asked finds out who sends a request and whether they may send it, in that
// order: first what a foreign page made a browser send is kept out, and only
// then is a credential looked at. The body is read by who serves.
func (h *handler) asked(op api.Operation, serve served) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var by identity.Principal
		var err error
		switch {
		case op.Changes:
			err = h.trusted(r)
		case !h.Auth.On(): // a name that points here since a moment ago may not read either
			err = h.named(r)
		}
		if err == nil {
			by, err = h.caller(r)
		}
		if err == nil {
			err = op.Permits(by)
		}
		if err != nil {
			writeProblem(w, err)
			return
		}
		serve(w, r, by)
	}
}

// caller returns who sends a request. A credential comes in the Authorization
// header and nowhere else: what stands in a URL ends in logs and histories.
func (h *handler) caller(r *http.Request) (identity.Principal, error) {
	tenant := r.Header.Get("Helve-Tenant")
	if !h.Auth.On() {
		tenant, err := api.Tenant(tenant)
		return identity.Anyone(tenant), err
	}
	by, err := h.Auth.Identify(r.Context(), r.Header.Get("Authorization"))
	if err == nil {
		by, err = by.Narrow(tenant, "", "")
	}
	return by, h.refusal(r, err)
}

// refusal turns the reason why a caller is not let in into the error of the
// request, and has it logged.
func (h *handler) refusal(r *http.Request, err error) error {
	why, ok := errors.AsType[*identity.Failure](err)
	if !ok {
		return err
	}
	kind := "unavailable"
	switch why.Status {
	case http.StatusUnauthorized:
		kind = "unauthenticated"
	case http.StatusForbidden:
		kind = "forbidden"
	}
	if why.Status != http.StatusServiceUnavailable {
		h.refused.note(r.RemoteAddr, why.Msg, time.Now())
	}
	return &dispatcher.RequestError{Type: kind, Status: why.Status, Msg: why.Msg}
}

// expelled reports whether a caller who was let in would no longer be. That
// nobody can tell now is no reason to cut an answer that has begun.
func (h *handler) expelled(r *http.Request) bool {
	_, err := h.caller(r)
	failure, _ := api.AsRequestError(err)
	return err != nil && failure.Status != http.StatusServiceUnavailable
}
