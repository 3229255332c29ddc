package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/signin"
)

// signingIn adds the paths of signing in and out. They are no operations: they are about
// cookies, which only browsers have.
func (h *handler) signingIn(routes routes) {
	routes.add(http.MethodPost, "/login", h.signIn("login", h.withKey))
	routes.add(http.MethodPost, "/logout", h.signIn("logout", h.signOut))
	routes.add(http.MethodGet, "/login/oidc", h.toIssuer)
	routes.add(http.MethodGet, "/login/callback", h.fromIssuer)
}

// signIn guards a handler that changes cookies: only a page of this host may request it, so
// that no other page signs a person in as somebody else.
func (h *handler) signIn(operation string, serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name(w, operation)
		err := h.trusted(r)
		if err == nil {
			err = fromPage(r)
		}
		if err == nil {
			err = serve(w, r)
		}
		if err != nil {
			writeProblem(w, err)
		}
	}
}

// maxLogin bounds the body of a sign-in, in bytes.
const maxLogin = 4 << 10

// readKey returns the API key in the body of a request.
func (h *handler) readKey(r *http.Request) (string, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != jsonType {
		return "", api.BadRequest("the Content-Type must be application/json")
	}
	paid, err := h.budget.open(payer(r, visiting))
	if err != nil {
		return "", err
	}
	defer paid.close()
	text, err := io.ReadAll(io.LimitReader(r.Body, maxLogin+1))
	if err != nil {
		return "", unreadable(err)
	}
	if len(text) > maxLogin {
		return "", api.TooLarge("the body is larger than %d bytes; it needs to hold an API key only", maxLogin)
	}
	var body struct {
		Key string `json:"key"`
	}
	in := json.NewDecoder(strings.NewReader(string(text)))
	in.DisallowUnknownFields()
	// The decoder's error may repeat a part of the body.
	if err := in.Decode(&body); err != nil || in.More() || body.Key == "" {
		return "", api.BadRequest(`the body must be {"key": "hk_…"}`)
	}
	return strings.TrimSpace(body.Key), nil
}

// withKey signs in with an API key, and answers as the operation me does.
func (h *handler) withKey(w http.ResponseWriter, r *http.Request) error {
	if !h.SignIn.Ways().Key {
		return api.NotFound("nobody can sign in with an API key here: the setting auth.keys_file is empty")
	}
	key, err := h.readKey(r)
	if err != nil {
		return err
	}
	session, err := h.SignIn.WithKey(r.Context(), key)
	if failure, ok := errors.AsType[*identity.Failure](err); ok {
		if pause := h.refused.note(r.RemoteAddr, failure.Msg, true, time.Now()); pause > 0 {
			return &api.RequestError{Type: "rate_limited", Status: http.StatusTooManyRequests, RetryAfter: pause, Msg: "too many API keys from this address were not valid; try again in a few seconds"}
		}
		return failure
	}
	if err != nil {
		return err
	}
	reply, err := h.svc.Do(r.Context(), api.Find(api.Me), api.Input{Tenant: session.By.Tenant, By: session.By})
	if err != nil {
		return err
	}
	h.endSession(r)
	setCookie(w, r, sessionCookie, session.Token, time.Until(session.Ends), http.SameSiteStrictMode)
	writeJSON(w, http.StatusOK, jsonType, reply.Body)
	return nil
}

// signOut ends the session of a browser. If that is not possible now, the browser keeps the
// cookie, so that its person can try again.
func (h *handler) signOut(w http.ResponseWriter, r *http.Request) error {
	if token := h.session(r); token != "" {
		if err := h.SignIn.End(context.WithoutCancel(r.Context()), token); err != nil {
			h.Log.Warn("session not ended", zap.Error(err))
			return err
		}
	}
	setCookie(w, r, sessionCookie, "", 0, http.SameSiteStrictMode)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// toIssuer sends a browser to the issuer.
func (h *handler) toIssuer(w http.ResponseWriter, r *http.Request) {
	name(w, "login")
	next := r.URL.Query().Get("next")
	if to := h.publicHost(r); to != "" {
		h.redirect(w, to+"/login/oidc?"+url.Values{"next": {signin.Next(next)}, "moved": {"1"}}.Encode())
		return
	}
	begun, err := h.SignIn.Begin(r.Context(), next)
	if err != nil {
		h.notSignedIn(w, err)
		return
	}
	// The issuer's page sends the browser back, so this cookie must come with a link.
	setCookie(w, r, attemptCookie+begun.Name, begun.Cookie, signin.AttemptLife, http.SameSiteLaxMode)
	h.redirect(w, begun.Location)
}

// publicHost returns the origin to which the issuer sends browsers back, if the request
// names another host: the cookie of the attempt would be missing there. A browser is moved
// once, because a proxy may change the name.
func (h *handler) publicHost(r *http.Request) string {
	if h.SignIn.Issuer == nil || r.URL.Query().Get("moved") != "" {
		return ""
	}
	back, err := url.Parse(h.SignIn.Issuer.Redirect)
	if err != nil || back.Host == "" || back.Host == r.Host {
		return ""
	}
	return back.Scheme + "://" + back.Host
}

// fromIssuer signs a person in with the answer of the issuer.
func (h *handler) fromIssuer(w http.ResponseWriter, r *http.Request) {
	name(w, "login")
	query := r.URL.Query()
	for _, parameter := range []string{"state", "code", "iss", "error"} {
		if len(query[parameter]) > 1 {
			h.notSignedIn(w, &signin.Refusal{Reason: signin.Denied})
			return
		}
	}
	answer := signin.Answer{State: query.Get("state"), Code: query.Get("code"), Issuer: query.Get("iss"), Error: query.Get("error")}
	base := attemptCookie + signin.AttemptName(answer.State)
	if cookies := r.CookiesNamed(cookieName(r, base)); len(cookies) == 1 {
		answer.Cookie = cookies[0].Value
		setCookie(w, r, base, "", 0, http.SameSiteLaxMode)
	}
	session, next, err := h.SignIn.Finish(r.Context(), answer)
	if err != nil {
		h.notSignedIn(w, err)
		return
	}
	setCookie(w, r, sessionCookie, session.Token, time.Until(session.Ends), http.SameSiteStrictMode)
	h.redirect(w, next)
}

// notSignedIn sends a browser to the page that shows the reason.
func (h *handler) notSignedIn(w http.ResponseWriter, err error) {
	why, ok := errors.AsType[*signin.Refusal](err)
	if !ok {
		why = &signin.Refusal{Reason: signin.Unavailable}
	}
	h.redirect(w, "/login?"+url.Values{"error": {why.Reason}, "next": {signin.Next(why.Next)}}.Encode())
}

// redirect sends a browser to an address with a new GET request.
func (h *handler) redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.Header().Set("Referrer-Policy", "no-referrer") // the address has a code
	writeHead(w, http.StatusSeeOther, "text/plain; charset=utf-8", 0)
}
