package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/identity"
)

const (
	// sessionCookie is the name of the cookie with the token of a session, and attemptCookie
	// the begin of the names of those of attempts to sign in at the issuer.
	sessionCookie = "helve_session"
	attemptCookie = "helve_login_"
	// hostPrefix begins the names of cookies over TLS: browsers accept such a cookie only from
	// this very host, so neither a neighbour in the domain nor a page without TLS can set it.
	hostPrefix = "__Host-"
	// consoleHeader marks requests of the console. A page of another origin can send it only
	// after a preflight request, which is not answered for it.
	consoleHeader = "Helve-Console"
	// sessionLook is the interval at which the session of an event stream is looked at: signing
	// out ends its streams.
	sessionLook = time.Second
)

// session returns the token of the session that a request belongs to, empty for none. A
// credential in the header takes precedence. A request that another site has made
// the browser send has no session.
func (h *handler) session(r *http.Request) string {
	if h.SignIn == nil || len(r.Header.Values("Authorization")) > 0 {
		return ""
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return ""
	}
	cookies := r.CookiesNamed(cookieName(r, sessionCookie))
	if len(cookies) != 1 { // of two, somebody else may have set one
		return ""
	}
	return cookies[0].Value
}

// fromPage refuses a request with a session that changes something, unless a page of this
// host has sent it.
func fromPage(r *http.Request) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	origins := r.Header.Values("Origin")
	if r.Header.Get(consoleHeader) != "1" || len(origins) != 1 || !sameHost(origins[0], r.Host) {
		return api.Forbidden("a browser's session counts here only for pages of this host that send the header %s: 1; a program sends the header Authorization", consoleHeader)
	}
	return nil
}

// cookieName returns the name of a cookie for the connection of a request.
func cookieName(r *http.Request, base string) string {
	if private(r) {
		return base
	}
	return hostPrefix + base
}

// private reports whether a request came without TLS from a browser on this machine. Any
// other browser has TLS, which a proxy may end, or else it refuses the cookie.
func private(r *http.Request) bool {
	if r.TLS != nil {
		return false
	}
	name := hostName(r.Host)
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.IsLoopback()
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// setCookie sends a cookie that scripts cannot read; an empty value removes it.
func setCookie(w http.ResponseWriter, r *http.Request, base, value string, life time.Duration, site http.SameSite) {
	c := &http.Cookie{ //nolint:gosec // without TLS only on this machine
		Name: cookieName(r, base), Value: value, Path: "/", MaxAge: int(life.Seconds()), HttpOnly: true, Secure: !private(r), SameSite: site,
	}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// endSession ends the session of a request that another one replaces. The new one counts
// even if that fails.
func (h *handler) endSession(r *http.Request) {
	if token := h.session(r); token != "" {
		_ = h.SignIn.End(r.Context(), token)
	}
}

// visiting is the principal of a browser without a credential, as a payer.
var visiting = identity.Principal{Open: true}
