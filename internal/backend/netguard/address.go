package netguard

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"

	"github.com/helve-dev/helve/tool"
)

// azureHost answers metadata and DNS inside every Azure network although its
// address is a public one.
var azureHost = netip.MustParsePrefix("168.63.129.16/32")

// closedPorts belong to protocols that are not HTTP but whose servers can be
// made to act by bytes in an HTTP request: mail, shells, databases, queues.
var closedPorts = []uint16{
	21, 22, 23, 25, 53, 110, 111, 119, 135, 139, 143, 389, 445, 465, 514, 587, 636, 873, 993, 995,
	1433, 1521, 2049, 3306, 3389, 4222, 5432, 5672, 5900, 6222, 6379, 6667, 9042, 9092, 11211, 27017,
}

func publicOnly() *ssrf.Guardian {
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azureHost))
}

// check judges a URL before anything is looked up, so that what is refused in
// any case costs no traffic. Names are judged when they are dialed.
func (g *Guard) check(u *url.URL) error {
	switch {
	case u == nil || u.Scheme != "http" && u.Scheme != "https":
		return tool.Fail(tool.ValidationError, "the URL must begin with http:// or https://")
	case u.User != nil:
		return tool.Fail(tool.ValidationError, "the URL must not hold a user name or password; send an Authorization header")
	case u.Hostname() == "":
		return tool.Fail(tool.ValidationError, "the URL names no host")
	}
	host, err := plainHost(u.Hostname())
	if err != nil {
		return tool.Fail(tool.ValidationError, "the URL's host %s is not a valid name", u.Hostname()).Because(err)
	}
	port, err := portOf(u)
	if err != nil {
		return tool.Fail(tool.ValidationError, "the URL's port must be between 1 and 65535").Because(err)
	}
	switch addr, err := netip.ParseAddr(host); {
	case g.allow.hasName(host, port):
		return nil
	case err == nil:
		return g.checkAddr(host, netip.AddrPortFrom(addr, port))
	case endsInNumber(host):
		// Some resolvers take 2130706433, 0x7f.1 and 0177.1 for 127.0.0.1.
		return &refusal{host: host, cause: err}
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return g.checkLoopback(host, port)
	case slices.Contains(closedPorts, port) && !g.allow.hasPort(port):
		return &refusal{host: host, port: port}
	}
	return nil
}

// checkAddr judges the address that host turned out to have.
func (g *Guard) checkAddr(host string, to netip.AddrPort) error {
	if g.allow.hasAddr(netip.AddrPortFrom(to.Addr().Unmap(), to.Port())) {
		return nil
	}
	if err := g.public.SafeAddr(to.Addr()); err != nil {
		return &refusal{host: host, cause: err}
	}
	if slices.Contains(closedPorts, to.Port()) {
		return &refusal{host: host, port: to.Port()}
	}
	return nil
}

// checkLoopback lets a name of this machine pass if either of its addresses may.
func (g *Guard) checkLoopback(host string, port uint16) error {
	err := g.checkAddr(host, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port))
	if g.allow.hasAddr(netip.AddrPortFrom(netip.IPv6Loopback(), port)) {
		return nil
	}
	return err
}

// dial connects like net.Dialer, which calls control with the very address it
// is about to connect to; between the two nothing can change.
func (g *Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, Resolver: g.resolver}
	host, port, err := splitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !g.allow.hasName(host, port) {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return &refusal{host: host, cause: err}
			}
			return g.checkAddr(host, to)
		}
	}
	return d.DialContext(ctx, network, address)
}

// plainHost is the one spelling of a host that rules are compared with: ASCII,
// lower case, no dot at the end.
func plainHost(host string) (string, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String(), nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		// Names with underscores are common inside networks and harmless.
		if ascii = strings.ToLower(host); strings.Trim(ascii, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
			return "", err
		}
	}
	return strings.TrimSuffix(ascii, "."), nil
}

// endsInNumber reports whether host's last label is a number in some base, by
// which the URL standard knows an IPv4 address.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
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
	host, err = plainHost(h)
	return host, port, err
}
