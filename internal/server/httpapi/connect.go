package httpapi

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// connectPath is where browsers connect accounts. It is no operation: a person opens it, and
// a provider sends the person back to it.
const connectPath = "/v1/connect/"

// connects adds the pages. A look at a link must not use it up, so they have no HEAD.
func (h *handler) connects(r routes) {
	r.add(http.MethodGet, connectPath+"callback", h.connecting(h.finishConnect))
	r.add(http.MethodGet, connectPath+"{id}", h.connecting(h.startConnect))
	for _, path := range []string{"callback", "{id}"} {
		delete(r[connectPath+path], http.MethodHead)
	}
}

// connecting identifies the visitor of a page. A browser may have no credential; then the
// principal is zero, and the page itself decides.
func (h *handler) connecting(serve served) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name(w, "connect")
		w.Header().Set("Referrer-Policy", "no-referrer") // the address has a code
		by, err := h.visitor(r)
		if err != nil {
			h.refusePage(w, r, err)
			return
		}
		serve(w, r, by)
	}
}

// visitor returns the principal of a browser.
func (h *handler) visitor(r *http.Request) (identity.Principal, error) {
	if h.Auth.On() {
		_, session := h.session(r)
		if r.Header.Get("Authorization") == "" && !session {
			return identity.Principal{}, nil
		}
		by, err := h.caller(r, session)
		if !session {
			return by, err
		}
		if failure, _ := api.AsRequestError(err); err != nil && failure.Status == http.StatusUnauthorized {
			return identity.Principal{}, nil
		}
		return by, err
	}
	if err := h.named(r); err != nil {
		return identity.Principal{}, err
	}
	tenant := r.Header.Get("Helve-Tenant")
	if tenant == "" {
		tenant = r.URL.Query().Get("tenant")
	}
	tenant, err := api.Tenant(tenant)
	return identity.Anyone(tenant), err
}

// toPage sends a browser to the page of the console that requests the same, and reports whether
// there is one: the page has the secret of the session, which no link can send.
func (h *handler) toPage(w http.ResponseWriter, r *http.Request) bool {
	if h.SignIn == nil || !wantsPage(r) || r.Header.Get(consoleHeader) != "" || r.Header.Get("Authorization") != "" {
		return false
	}
	to := url.URL{Path: strings.TrimPrefix(r.URL.Path, "/v1"), RawQuery: r.URL.RawQuery}
	w.Header().Set("Location", to.String())
	writeHead(w, http.StatusSeeOther, "text/plain; charset=utf-8", 0)
	return true
}

// startConnect sends a browser to the provider.
func (h *handler) startConnect(w http.ResponseWriter, r *http.Request, by identity.Principal) {
	// The cookie may be somebody else's, so it decides nothing but who is asked.
	if _, signedIn := h.cookie(r); signedIn && h.toPage(w, r) {
		return
	}
	start, err := h.Connect.Start(r.Context(), by, r.PathValue("id"))
	if err != nil {
		h.refusePage(w, r, err)
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS only on this machine
		Name: start.Name, Value: start.Cookie, Path: start.Path, MaxAge: int(start.Life.Seconds()),
		HttpOnly: true, Secure: start.OverTLS, SameSite: http.SameSiteLaxMode, // it comes back from the provider's page
	})
	if r.Header.Get(consoleHeader) != "" { // a script could not read a redirect
		goOn(w, start.Location)
		return
	}
	w.Header().Set("Location", start.Location)
	writeHead(w, http.StatusFound, "text/plain; charset=utf-8", 0)
}

// finishConnect ends with the answer of the provider.
func (h *handler) finishConnect(w http.ResponseWriter, r *http.Request, by identity.Principal) {
	query := r.URL.Query()
	answer := api.ConnectAnswer{State: query.Get("state"), Code: query.Get("code"), Issuer: query.Get("iss"), Error: query.Get("error")}
	cookie, err := r.Cookie(h.Connect.Cookie(answer.State))
	if err == nil {
		answer.Cookie = cookie.Value
	}
	for _, name := range []string{"state", "code", "iss", "error"} {
		if len(query[name]) > 1 {
			h.refusePage(w, r, api.BadRequest("the parameter %s is there twice", name))
			return
		}
	}
	done, err := h.Connect.Finish(r.Context(), by, answer)
	if failure, _ := api.AsRequestError(err); err != nil && failure.Status == http.StatusUnauthorized && h.toPage(w, r) {
		return
	}
	if err != nil {
		h.refusePage(w, r, err)
		return
	}
	if wantsPage(r) && done.Code != "" {
		writePage(w, http.StatusOK, done.Code, fmt.Sprintf(
			"Enter this code where you began to connect the account of %s for %s. Until then nothing is connected. "+
				"If you have not begun this yourself, close this page: somebody else would get your account.",
			done.Service, done.User,
		))
		return
	}
	if wantsPage(r) {
		writePage(w, http.StatusOK, "Connected",
			fmt.Sprintf("The account of %s is connected for %s. Calls that waited for it go on. You can close this page.", done.Service, done.User))
		return
	}
	body, err := json.Marshal(done)
	if err != nil {
		h.refusePage(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, jsonType, body)
}

func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// refusePage sends a failure: as a page to a browser, as a problem to a program.
func (h *handler) refusePage(w http.ResponseWriter, r *http.Request, err error) {
	failure, expected := api.AsRequestError(err)
	if !expected {
		h.Log.Warn("account not connected", zap.Error(err))
	}
	if !wantsPage(r) {
		writeProblem(w, err)
		return
	}
	setRetryAfter(w, failure.Status, failure.RetryAfter)
	if failure.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writePage(w, failure.Status, "Not connected", failure.Msg)
}

// writePage sends a page that loads and runs nothing.
func writePage(w http.ResponseWriter, status int, title, text string) {
	page := fmt.Sprintf("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "+
		"content=\"width=device-width\"><title>%s</title><h1>%[1]s</h1><p>%s</p>\n",
		html.EscapeString(title), html.EscapeString(text))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	w.Header().Set("Cache-Control", "no-store")
	writeHead(w, status, "text/html; charset=utf-8", int64(len(page)))
	_, _ = w.Write([]byte(page)) // a browser that left is no failure
}
