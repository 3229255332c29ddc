package netguard

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// mailPorts are the ports of SMTP and IMAP, which a [tool.Dialer] may reach on public hosts.
var mailPorts = []uint16{25, 143, 465, 587, 993}

// Dialer returns a dialer for mail servers on the hosts that all scopes allow.
func (g *Guard) Dialer(within ...tool.Scopes) tool.Dialer {
	return dialer{g, slices.Clone(within)}
}

type dialer struct {
	guard  *Guard
	within []tool.Scopes
}

// DialContext implements [tool.Dialer].
func (d dialer) DialContext(ctx context.Context, network, text string) (net.Conn, error) {
	t := &trip{guard: d.guard, ended: ctx.Err, at: &url.URL{Scheme: "tcp", Host: text}}
	host, port, err := splitHostPort(text)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "the address %.100q is not HOST:PORT", text).Because(err)
	}
	if err := scope.Host(host, port, d.within...); err != nil {
		return nil, t.explain(err)
	}
	conn, err := d.connect(ctx, network, host, port)
	if err != nil {
		return nil, t.explain(err)
	}
	return conn, nil
}

func (d dialer) connect(ctx context.Context, network, host string, port uint16) (net.Conn, error) {
	g, to := d.guard, net.JoinHostPort(host, strconv.Itoa(int(port)))
	if reachOf(ctx).has(host, port) {
		return g.dialOpened(ctx, network, to)
	}
	mail := slices.Contains(mailPorts, port)
	n := net.Dialer{Timeout: dialTimeout, Resolver: g.resolver}
	switch {
	case g.allow.hasName(host, port):
		return n.DialContext(ctx, network, to)
	case !mail && !g.allow.hasPort(port):
		return nil, notMail(host, port) // without a lookup
	}
	n.Control = control(host, func(host string, to netip.AddrPort) error {
		switch err := g.public.SafeAddr(to.Addr()); {
		case g.allow.hasAddr(netip.AddrPortFrom(to.Addr().Unmap(), to.Port())):
			return nil
		case err != nil:
			return &refusal{host: host, cause: err}
		case !mail:
			return notMail(host, port)
		}
		return nil
	})
	return n.DialContext(ctx, network, to)
}

func notMail(host string, port uint16) error {
	return tool.Fail(tool.PermissionDenied,
		"Access denied: port %[1]d of %[2]s is not one of mail (25, 143, 465, 587, 993); an admin can set this server for the tenant, "+
			"or the operator open it with --allow-host %[3]s",
		port, host, net.JoinHostPort(host, strconv.Itoa(int(port))))
}
