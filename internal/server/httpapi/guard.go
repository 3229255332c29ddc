package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// trusted refuses a request that a foreign web page may have made a browser send: a
// request with a host name that is not ours (DNS rebinding), or from a page of another
// origin that is not allowed.
func (h *handler) trusted(r *http.Request) error {
	if err := h.named(r); err != nil {
		return err
	}
	for _, origin := range r.Header.Values("Origin") {
		if !sameHost(origin, r.Host) && !h.origins[origin] {
			return api.Forbidden("a page of the origin %.100q may not change anything here", origin)
		}
	}
	return nil
}

// named refuses a request with a host name that is not ours.
func (h *handler) named(r *http.Request) error {
	if !h.hosts.own(r.Host) {
		return notOurs(r.Host)
	}
	return nil
}

func notOurs(host string) error {
	return api.Forbidden("the host %.100q is not allowed here; use an IP address or localhost, or add the name to the allowed hosts", host)
}

// hosts are the names, in addition to loopback names and IP addresses, that requests
// may use.
type hosts map[string]bool

func newHosts(list []string) hosts {
	h := hosts{}
	for _, host := range list {
		h[hostName(host)] = true
	}
	return h
}

func (h hosts) own(host string) bool {
	name := hostName(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || name != "" && h[name]
}

// Local protects next, which requires no credential, from foreign web pages: it refuses
// requests with a host name that is not ours, and those from pages of other origins.
// Health checks are open to everybody.
func Local(allowed []string, next http.Handler) http.Handler {
	own := newHosts(allowed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
			next.ServeHTTP(w, r)
			return
		}
		if !own.own(r.Host) {
			writeProblem(w, notOurs(r.Host))
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if !sameHost(origin, r.Host) {
				writeProblem(w, api.Forbidden("a page of the origin %.100q may not read this", origin))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// ForOperators requires a credential for the metrics and profiles that next serves, if auth is on:
// with the role auditor or admin for metrics, and admin for profiles, which slow the process down.
// Health checks are open to everybody.
func ForOperators(auth *identity.Authenticator, next http.Handler) http.Handler {
	if !auth.On() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		roles := []identity.Role{identity.Auditor, identity.Admin}
		switch {
		case r.URL.Path == "/healthz" || r.URL.Path == "/readyz":
			next.ServeHTTP(w, r)
			return
		case strings.HasPrefix(r.URL.Path, "/debug/"):
			roles = roles[1:]
		}
		by, err := auth.Identify(r.Context(), r.Header.Get("Authorization"))
		if err == nil && !by.Has(roles...) {
			err = api.Forbidden("this needs the role %s, and %s has %s", oneOf(roles), by.Name, oneOf(by.Roles))
		}
		if err != nil {
			writeProblem(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func oneOf(roles []identity.Role) string {
	var names []string
	for _, r := range roles {
		names = append(names, string(r))
	}
	return strings.Join(names, " or ")
}

var standardPorts = map[string]string{"http": "80", "https": "443"}

// sameHost reports whether an origin is a page of that host and port. The scheme may
// differ, because a proxy may terminate TLS.
func sameHost(origin, host string) bool {
	page, err := url.Parse(origin)
	if err != nil || hostName(page.Host) != hostName(host) || page.Host == "" {
		return false
	}
	standard := standardPorts[page.Scheme]
	port := func(p string) string {
		if p == "" {
			return standard
		}
		return p
	}
	return standard != "" && port(page.Port()) == port(hostPort(host))
}

// hostName returns the name in a Host header: in lower case, without port, brackets and
// a final dot.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimPrefix(strings.TrimSuffix(host, "]"), "[")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

func hostPort(host string) string {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		return ""
	}
	return port
}
