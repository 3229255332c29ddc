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

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/signin"
)

// signingIn adds the paths of signing in and out. They are no operations: they are about
// cookies, which only browsers have.
func (h *handler) signingIn(routes routes) {
	routes.add(http.MethodPost, "/login", h.signIn("login", h.withKey))
	routes.add(http.MethodPost, "/logout", h.signIn("logout", h.signOut))
	routes.add(http.MethodPost, "/login/oidc", h.signIn("login", h.toIssuer))
	routes.add(http.MethodPost, "/login/callback", h.signIn("login", h.fromIssuer))
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

// maxKey bounds the body of a sign-in with a key, and maxQuery that of the pages of a sign-in at
// the issuer, in bytes.
const (
	maxKey   = 4 << 10
	maxQuery = 64 << 10
)

// readLogin reads the body of a sign-in, {"name": "text"}.
func (h *handler) readLogin(r *http.Request, name, example string, most int) (string, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != jsonType {
		return "", api.BadRequest("the Content-Type must be application/json")
	}
	paid, err := h.budget.open(payer(r, visiting))
	if err != nil {
		return "", err
	}
	defer paid.close()
	text, err := io.ReadAll(io.LimitReader(r.Body, int64(most)+1))
	if err != nil {
		return "", unreadable(err)
	}
	if len(text) > most {
		return "", api.TooLarge("the body is larger than %d bytes; it needs to hold {%q: %q} only", most, name, example)
	}
	var body map[string]string
	value := func() string { return strings.TrimSpace(body[name]) }
	// The decoder's error may repeat a part of the body.
	if err := json.Unmarshal(text, &body); err != nil || len(body) != 1 || value() == "" {
		return "", api.BadRequest("the body must be {%q: %q}", name, example)
	}
	return value(), nil
}

// withKey signs in with an API key, and answers as the operation me does.
func (h *handler) withKey(w http.ResponseWriter, r *http.Request) error {
	if !h.SignIn.Ways().Key {
		return api.NotFound("nobody can sign in with an API key here: the setting auth.keys_file is empty")
	}
	key, err := h.readLogin(r, "key", "hk_…", maxKey)
	if err != nil {
		return err
	}
	session, err := h.SignIn.WithKey(r.Context(), key, r.Header.Get(consoleHeader))
	if failure, ok := errors.AsType[*identity.Failure](err); ok {
		if pause := h.refused.note(r.RemoteAddr, failure.Msg, true, time.Now()); pause > 0 {
			return &api.RequestError{
				Type:       "rate_limited",
				Status:     http.StatusTooManyRequests,
				RetryAfter: pause,
				Msg:        "too many API keys from this address were not valid; try again in a few seconds",
			}
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
	setCookie(w, r, sessionCookie, session.Cookie, time.Until(session.Ends))
	writeJSON(w, http.StatusOK, jsonType, reply.Body)
	return nil
}

// signOut ends the session of a browser. If that is not possible now, the browser keeps the
// cookie, so that its person can try again.
func (h *handler) signOut(w http.ResponseWriter, r *http.Request) error {
	if b, ok := h.session(r); ok {
		if by, err := h.SignIn.Identify(r.Context(), b); err == nil {
			if err := acting(r, by); err != nil {
				return err
			}
		}
		if err := h.SignIn.End(context.WithoutCancel(r.Context()), b); err != nil {
			h.Log.Warn("session not ended", zap.Error(err))
			return err
		}
	}
	setCookie(w, r, sessionCookie, "", 0)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// The pages /login/oidc and /login/callback send their own query, and are answered where the
// browser goes next. A page is needed, because only a page has the secret that binds an
// attempt to the browser in which it began: without TLS others can set its cookie.

// query returns the query of the page that sent a request.
func (h *handler) query(r *http.Request) (url.Values, error) {
	text, err := h.readLogin(r, "query", "?…", maxQuery)
	if err != nil {
		return nil, err
	}
	query, err := url.ParseQuery(strings.TrimPrefix(text, "?"))
	if err != nil {
		return nil, api.BadRequest("the query is malformed")
	}
	return query, nil
}

// toIssuer answers the page of the issuer.
func (h *handler) toIssuer(w http.ResponseWriter, r *http.Request) error {
	query, err := h.query(r)
	if err != nil {
		return err
	}
	next := query.Get("next")
	if to := h.publicHost(r.Host); to != "" && query.Get("moved") == "" {
		goOn(w, to+"/login/oidc?"+url.Values{"next": {signin.Next(next)}, "moved": {"1"}}.Encode())
		return nil
	}
	begun, err := h.SignIn.Begin(r.Context(), next, r.Header.Get(consoleHeader))
	if err != nil {
		notSignedIn(w, err)
		return nil
	}
	// The name begins with the state's own part: each attempt has a cookie of its own.
	setCookie(w, r, attemptCookie+begun.Name, begun.Cookie, signin.AttemptLife)
	goOn(w, begun.Location)
	return nil
}

// publicHost returns the origin to which the issuer sends browsers back, if that is another
// host: the cookie of the attempt would be missing there. A browser is moved once, because a
// proxy may change the name.
func (h *handler) publicHost(host string) string {
	if h.SignIn.Issuer == nil {
		return ""
	}
	back, err := url.Parse(h.SignIn.Issuer.Redirect)
	if err != nil || back.Host == "" || back.Host == host {
		return ""
	}
	return back.Scheme + "://" + back.Host
}

// fromIssuer signs a person in with the answer of the issuer.
func (h *handler) fromIssuer(w http.ResponseWriter, r *http.Request) error {
	query, err := h.query(r)
	if err != nil {
		return err
	}
	for _, parameter := range []string{"state", "code", "iss", "error"} {
		if len(query[parameter]) > 1 {
			notSignedIn(w, &signin.Refusal{Reason: signin.Denied})
			return nil
		}
	}
	answer := signin.Answer{State: query.Get("state"), Code: query.Get("code"), Issuer: query.Get("iss"), Error: query.Get("error")}
	answer.Page = r.Header.Get(consoleHeader)
	base := attemptCookie + signin.AttemptName(answer.State)
	if cookies := r.CookiesNamed(cookieName(r, base)); len(cookies) == 1 {
		answer.Cookie = cookies[0].Value
		setCookie(w, r, base, "", 0)
	}
	session, next, err := h.SignIn.Finish(r.Context(), answer)
	if err != nil {
		notSignedIn(w, err)
		return nil
	}
	setCookie(w, r, sessionCookie, session.Cookie, time.Until(session.Ends))
	goOn(w, next)
	return nil
}

// notSignedIn sends a browser to the page that shows the reason.
func notSignedIn(w http.ResponseWriter, err error) {
	why, ok := errors.AsType[*signin.Refusal](err)
	if !ok {
		why = &signin.Refusal{Reason: signin.Unavailable}
	}
	goOn(w, "/login?"+url.Values{"error": {why.Reason}, "next": {signin.Next(why.Next)}}.Encode())
}

// goOn answers where a page goes next.
func goOn(w http.ResponseWriter, location string) {
	body, err := json.Marshal(map[string]string{"location": location})
	if err != nil {
		writeProblem(w, err)
		return
	}
	writeJSON(w, http.StatusOK, jsonType, body)
}
