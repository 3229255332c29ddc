package netguard

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/policy/scope"
)

// allowList holds the operator's exceptions. Port 0 means every port.
type allowList struct {
	names []allowedName
	nets  []allowedNet
}

type allowedName struct {
	host string
	port uint16
}

type allowedNet struct {
	prefix netip.Prefix
	port   uint16
}

func parseAllow(entries []string) (allowList, error) {
	var list allowList
	var errs []error
	for _, entry := range entries {
		if !list.add(strings.TrimSpace(entry)) {
			errs = append(errs,
				fmt.Errorf("allowed host %q: want HOST, HOST:PORT, IP, IP:PORT or CIDR, such as intranet.example:8080 or 10.1.0.0/16", entry))
		}
	}
	return list, errors.Join(errs...)
}

func (l *allowList) add(entry string) bool {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		l.nets = append(l.nets, allowedNet{prefix: prefix})
		return true
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(entry, "["), "]")
	if addr, err := netip.ParseAddr(bare); err == nil {
		return l.addAddr(addr, 0)
	}
	if to, err := netip.ParseAddrPort(entry); err == nil {
		return to.Port() != 0 && l.addAddr(to.Addr(), to.Port())
	}
	host, port := entry, uint16(0)
	if strings.Contains(entry, ":") {
		var err error
		if host, port, err = splitHostPort(entry); err != nil {
			return false
		}
	}
	host, err := scope.PlainHost(host)
	if err != nil || host == "" || scope.EndsInNumber(host) {
		return false
	}
	l.names = append(l.names, allowedName{host, port})
	return true
}

func (l *allowList) addAddr(addr netip.Addr, port uint16) bool {
	addr = addr.Unmap()
	if addr.Zone() != "" {
		return false
	}
	l.nets = append(l.nets, allowedNet{netip.PrefixFrom(addr, addr.BitLen()), port})
	return true
}

func (l *allowList) hasName(host string, port uint16) bool {
	return slices.ContainsFunc(l.names, func(n allowedName) bool {
		return n.host == host && (n.port == 0 || n.port == port)
	})
}

func (l *allowList) hasAddr(to netip.AddrPort) bool {
	return slices.ContainsFunc(l.nets, func(n allowedNet) bool {
		return n.prefix.Contains(to.Addr()) && (n.port == 0 || n.port == to.Port())
	})
}

// hasPort reports whether some address is allowed at port, so that a name may turn out
// to be allowed after its lookup.
func (l *allowList) hasPort(port uint16) bool {
	return slices.ContainsFunc(l.nets, func(n allowedNet) bool { return n.port == 0 || n.port == port })
}
