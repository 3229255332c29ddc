package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/internal/api"
)

// trusted refuses a request that a foreign web page may have made a browser
// send: one under a host name that is not ours, because that name may point
// here only since a moment ago, and one from a page of another origin that is not
// among the allowed.
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

// named refuses a request under a host name that is not ours.
func (h *handler) named(r *http.Request) error {
	if !h.ownHost(r.Host) {
		return api.Forbidden("the host %.100q is not allowed here; use an IP address or localhost, or add the name to the allowed hosts", r.Host)
	}
	return nil
}

func (h *handler) ownHost(host string) bool {
	name := hostName(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || name != "" && h.hosts[name]
}

var standardPorts = map[string]string{"http": "80", "https": "443"}

// sameHost reports whether an origin is a page of that host and port. The scheme
// may differ: a proxy in front may have taken the TLS off.
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

// hostName returns the name in a Host header: in lower case, without port,
// brackets and the dot that may end a full name.
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
