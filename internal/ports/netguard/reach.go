package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"

	"github.com/helve-dev/helve/tool"
)

// reach holds the addresses that one call may reach although they are internal.
type reach []address

type address struct {
	host string
	port uint16
}

// reachOf returns the addresses of a context. Those that cannot be parsed are left out.
func reachOf(ctx context.Context) reach {
	var r reach
	for _, text := range tool.Reachable(ctx) {
		if host, port, err := splitHostPort(text); err == nil {
			r = append(r, address{host, port})
		}
	}
	return r
}

func (r reach) has(host string, port uint16) bool {
	for _, a := range r {
		if a.host == host && a.port == port {
			return true
		}
	}
	return false
}

var errLinkLocal = errors.New("link-local addresses are never opened, because machines answer with their credentials there")

// dialOpened connects to an address that the call may reach. Link-local addresses, where
// clouds serve the credentials of the machine, are refused all the same.
func (g *Guard) dialOpened(ctx context.Context, network, text string) (net.Conn, error) {
	host, _, err := splitHostPort(text)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: dialTimeout, Resolver: g.resolver, Control: control(host, func(host string, to netip.AddrPort) error {
		if to.Addr().Unmap().IsLinkLocalUnicast() && !g.allow.hasAddr(netip.AddrPortFrom(to.Addr().Unmap(), to.Port())) {
			return &refusal{host: host, cause: errLinkLocal}
		}
		return nil
	})}
	return d.DialContext(ctx, network, text)
}
