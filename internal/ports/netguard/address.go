package netguard

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// azureHost serves metadata and DNS inside every Azure network although its address is
// public.
var azureHost = netip.MustParsePrefix("168.63.129.16/32")

func publicOnly() *ssrf.Guardian {
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azureHost))
}

// parse returns the host and port of a URL, and an error if it cannot be requested.
func parse(u *url.URL) (host string, port uint16, err error) {
	switch {
	case u == nil || u.Scheme != "http" && u.Scheme != "https":
		return "", 0, tool.Fail(tool.ValidationError, "the URL must begin with http:// or https://")
	case u.User != nil:
		return "", 0, tool.Fail(tool.ValidationError, "the URL must not hold a user name or password; send an Authorization header")
	case u.Hostname() == "":
		return "", 0, tool.Fail(tool.ValidationError, "the URL names no host")
	}
	if host, err = scope.PlainHost(u.Hostname()); err != nil {
		return "", 0, tool.Fail(tool.ValidationError, "the URL's host %.100s is not a valid name", u.Hostname()).Because(err)
	}
	if port, err = portOf(u); err != nil {
		return "", 0, tool.Fail(tool.ValidationError, "the URL's port must be between 1 and 65535").Because(err)
	}
	return host, port, nil
}

// check checks an address before any lookup, so that an address that is refused in any
// case causes no traffic. Names are checked when they are dialed.
func (g *Guard) check(host string, port uint16) error {
	switch addr, err := netip.ParseAddr(host); {
	case g.allow.hasName(host, port):
		return nil
	case err == nil:
		return g.checkAddr(host, netip.AddrPortFrom(addr, port))
	case scope.EndsInNumber(host):
		// Some resolvers read 2130706433, 0x7f.1 and 0177.1 as 127.0.0.1.
		return &refusal{host: host, cause: err}
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return g.checkLoopback(host, port)
	case closedFor(port) != "" && !g.allow.hasPort(port):
		return &refusal{host: host, port: port}
	}
	return nil
}

// checkAddr checks the address to which host resolved.
func (g *Guard) checkAddr(host string, to netip.AddrPort) error {
	if g.allow.hasAddr(netip.AddrPortFrom(to.Addr().Unmap(), to.Port())) {
		return nil
	}
	if err := g.public.SafeAddr(to.Addr()); err != nil {
		return &refusal{host: host, cause: err}
	}
	if closedFor(to.Port()) != "" {
		return &refusal{host: host, port: to.Port()}
	}
	return nil
}

// checkLoopback accepts a name of this machine if either of its addresses is allowed.
func (g *Guard) checkLoopback(host string, port uint16) error {
	err := g.checkAddr(host, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port))
	if g.allow.hasAddr(netip.AddrPortFrom(netip.IPv6Loopback(), port)) {
		return nil
	}
	return err
}

// dial connects with net.Dialer, which calls control with the address that it is about
// to connect to, so that nothing can change in between.
func (g *Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, Resolver: g.resolver}
	host, port, err := splitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !g.allow.hasName(host, port) {
		d.Control = control(host, g.checkAddr)
	}
	return d.DialContext(ctx, network, address)
}

// control returns a function that checks the address which a dialer connects to.
func control(host string, check func(host string, to netip.AddrPort) error) func(network, address string, c syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return &refusal{host: host, cause: err}
		}
		return check(host, to)
	}
}

func portOf(u *url.URL) (uint16, error) {
	switch port := u.Port(); {
	case port != "":
		return parsePort(port)
	case u.Scheme == "https":
		return 443, nil
	default:
		return 80, nil
	}
}

func parsePort(s string) (uint16, error) {
	port, err := strconv.ParseUint(s, 10, 16)
	if err == nil && port == 0 {
		err = strconv.ErrRange
	}
	return uint16(port), err
}

func splitHostPort(s string) (host string, port uint16, err error) {
	h, p, err := net.SplitHostPort(s)
	if err != nil {
		return "", 0, err
	}
	if port, err = parsePort(p); err != nil {
		return "", 0, err
	}
	host, err = scope.PlainHost(h)
	return host, port, err
}
