package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/signin"
)

const (
	// sessionCookie begins the name of the cookie of a session, and attemptCookie those of
	// attempts to sign in at the issuer.
	sessionCookie = "helve_session"
	attemptCookie = "helve_login_"
	// hostPrefix begins the names of cookies over TLS: browsers accept such a cookie only from
	// this very host, so neither a neighbour in the domain nor a page without TLS can set it.
	hostPrefix = "__Host-"
	// consoleHeader has the secret of the console's pages. They keep it where only pages of
	// this very origin can read it. A cookie is not kept so on this machine: cookies ignore
	// ports, so programs at other ports receive and set it. A page of another origin can send
	// the header only after a preflight request, which is not answered for it.
	consoleHeader = "Helve-Console"
	// sessionLook is the interval at which the session of an event stream is looked at: signing
	// out ends its streams.
	sessionLook = time.Second
)

// session returns the session that a request belongs to, if any. A credential in the header
// takes precedence. A request that another site has made the browser send has no session, and
// neither has a request with the cookie or the secret of the pages alone.
func (h *handler) session(r *http.Request) (b signin.Browser, ok bool) {
	cookie, ok := h.cookie(r)
	page := r.Header.Values(consoleHeader)
	if !ok || len(page) != 1 || !signin.IsPage(page[0]) {
		return b, false
	}
	return signin.Browser{Cookie: cookie, Page: page[0]}, true
}

// cookie returns the cookie of a session that a request has.
func (h *handler) cookie(r *http.Request) (value string, ok bool) {
	if h.SignIn == nil || len(r.Header.Values("Authorization")) > 0 {
		return "", false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return "", false
	}
	cookies := r.CookiesNamed(cookieName(r, sessionCookie))
	if len(cookies) != 1 { // of two, somebody else may have set one
		return "", false
	}
	return cookies[0].Value, true
}

// fromPage refuses a request that changes something for a session, unless a page of this host
// has sent it.
func fromPage(r *http.Request) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	origins, page := r.Header.Values("Origin"), r.Header.Values(consoleHeader)
	if len(page) != 1 || !signin.IsPage(page[0]) || len(origins) != 1 || !sameHost(origins[0], r.Host) {
		return api.Forbidden("a browser's session counts here only for pages of this host that send the header %s with their secret "+
			"(43 to 128 letters and digits): load the page again; a program sends the header Authorization", consoleHeader)
	}
	return nil
}

// cookieName returns the name of a cookie for the connection of a request. Without TLS it has
// the port, so that two systems on one machine do not replace each other's.
func cookieName(r *http.Request, base string) string {
	if !private(r) {
		return hostPrefix + base
	}
	port := hostPort(r.Host)
	if port == "" {
		port = standardPorts["http"]
	}
	return base + "_" + port
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
func setCookie(w http.ResponseWriter, r *http.Request, base, value string, life time.Duration) {
	c := &http.Cookie{ //nolint:gosec // without TLS only on this machine
		Name: cookieName(r, base), Value: value, Path: "/", MaxAge: int(life.Seconds()), HttpOnly: true, Secure: !private(r),
		SameSite: http.SameSiteStrictMode,
	}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// endSession ends the session of a request that another one replaces. The new one counts
// even if that fails.
func (h *handler) endSession(r *http.Request) {
	if b, ok := h.session(r); ok {
		_ = h.SignIn.End(r.Context(), b)
	}
}

// visiting is the principal of a browser without a credential, as a payer.
var visiting = identity.Principal{Open: true}
