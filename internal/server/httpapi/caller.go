package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// served serves a request of an authenticated caller.
type served func(w http.ResponseWriter, r *http.Request, by identity.Principal)

// asked authenticates and authorizes the sender of a request: it first refuses requests
// that a foreign page made a browser send, and only then examines the credential. serve
// reads the body.
func (h *handler) asked(op api.Operation, serve served) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var by identity.Principal
		var err error
		name(w, op.Name)
		switch {
		case op.Changes:
			err = h.trusted(r)
		case !h.Auth.On(): // without authentication, reading is protected from DNS rebinding too
			err = h.named(r)
		}
		switch {
		case err != nil:
		case op.Public: // everybody gets the same answer
			by = identity.Principal{Tenant: api.DefaultTenant, Roles: op.Roles}
		default:
			by, err = h.caller(r, op.Name != mcp.Name)
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

// caller returns the sender of a request. A credential is only accepted in the
// Authorization header: a URL ends up in logs and histories. A request of a browser without
// that header may have a session.
func (h *handler) caller(r *http.Request, cookies bool) (identity.Principal, error) {
	tenant := r.Header.Get("Helve-Tenant")
	if !h.Auth.On() {
		tenant, err := api.Tenant(tenant)
		return identity.Anyone(tenant), err
	}
	by, err := h.identify(r, cookies)
	if err == nil {
		err = acting(r, by)
	}
	if err == nil {
		by, err = by.Narrow(tenant, "", "")
	}
	return by, h.refusal(r, err)
}

func (h *handler) identify(r *http.Request, cookies bool) (identity.Principal, error) {
	if b, ok := h.session(r); ok && cookies {
		if err := fromPage(r); err != nil {
			return identity.Principal{}, err
		}
		return h.SignIn.Identify(r.Context(), b)
	}
	return h.Auth.Identify(r.Context(), r.Header.Get("Authorization"))
}

// refusal converts the reason why a caller is refused to the error of the request, and
// logs it.
func (h *handler) refusal(r *http.Request, err error) error {
	why, ok := errors.AsType[*identity.Failure](err)
	if !ok {
		return err
	}
	if why.Status != http.StatusServiceUnavailable {
		wrong := why.Status == http.StatusUnauthorized && r.Header.Get("Authorization") != ""
		pause := h.refused.note(r.RemoteAddr, why.Msg, wrong, time.Now())
		h.refused.wait(r.Context(), pause)
	}
	failure, _ := api.AsRequestError(why)
	if failure.Status == http.StatusUnauthorized && h.SignIn != nil {
		ways := h.SignIn.Ways()
		failure.SignIn = &ways
	}
	return failure
}

// expelled reports whether a caller who was accepted would now be refused. If that
// cannot be determined, an answer that has begun is not cut.
func (h *handler) expelled(r *http.Request) bool {
	_, err := h.caller(r, true)
	failure, _ := api.AsRequestError(err)
	return err != nil && failure.Status != http.StatusServiceUnavailable
}
