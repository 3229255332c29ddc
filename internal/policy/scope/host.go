package scope

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/helve-dev/helve/tool"
)

// Host refuses, with permission_denied, a host and port that are not within
// every one of within. host is a name or an address without brackets, in any
// spelling a URL may have.
func Host(host string, port uint16, within ...tool.Scopes) error {
	for _, s := range within {
		if anyHost(s.Hosts) {
			continue
		}
		plain, err := PlainHost(host)
		passes := func(entry string) bool {
			rule, bad := parseHost(entry)
			return bad == nil && rule.holds(unmapped(plain), port)
		}
		if err != nil || plain == "" || !slices.ContainsFunc(s.Hosts, passes) {
			at := net.JoinHostPort(clip(host), strconv.Itoa(int(port)))
			return tool.Fail(tool.PermissionDenied, "Access denied: the host %s is outside what this call may reach; allowed: %s",
				at, allowed(s.Hosts))
		}
	}
	return nil
}

// AnyHost reports whether within allows every host.
func AnyHost(within ...tool.Scopes) bool {
	return !slices.ContainsFunc(within, func(s tool.Scopes) bool { return !anyHost(s.Hosts) })
}

func anyHost(entries []string) bool { return len(entries) == 0 || slices.Contains(entries, "*") }

// maxHost limits a host in bytes: 253 characters is the longest possible name. Without
// a limit a long name would cost minutes, because its conversion to ASCII takes
// quadratic time.
const maxHost = 4 * 253

// PlainHost returns the canonical spelling of a host for comparison with rules: ASCII,
// lower case, no trailing dot. The error means that host is not a name.
func PlainHost(host string) (string, error) {
	if len(host) > maxHost {
		return "", errors.New("a host name has at most 253 characters")
	}
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

// unmapped converts an IPv4-mapped IPv6 address to IPv4.
func unmapped(plain string) string {
	if addr, err := netip.ParseAddr(plain); err == nil {
		return addr.Unmap().String()
	}
	return plain
}

// EndsInNumber reports whether the last label of host, as [PlainHost] returns it, is a
// number in some base: the URL standard reads such a host as an IPv4 address, although
// it may not look like one.
func EndsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// hostRule is an entry of hosts.
type hostRule struct {
	name string // plain; "" is every host
	subs bool   // only the subdomains of name
	port uint16 // 0 is every port
}

func (r hostRule) holds(host string, port uint16) bool {
	switch {
	case r.port != 0 && r.port != port:
		return false
	case r.subs:
		sub, ok := strings.CutSuffix(host, "."+r.name)
		return ok && sub != ""
	}
	return r.name == "" || r.name == host
}

func parseHost(entry string) (hostRule, error) {
	if err := written(entry); err != nil {
		return hostRule{}, err
	}
	if strings.Contains(entry, "://") {
		return hostRule{}, errors.New("it is a URL; name only its host")
	}
	if addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(entry, "["), "]")); err == nil {
		return addressRule(addr, 0)
	}
	if to, err := netip.ParseAddrPort(entry); err == nil && to.Port() != 0 {
		return addressRule(to.Addr(), to.Port())
	}
	host, port := entry, uint64(0)
	if strings.Contains(entry, ":") {
		name, number, err := net.SplitHostPort(entry)
		if err == nil {
			port, err = strconv.ParseUint(number, 10, 16)
		}
		if err != nil || port == 0 {
			return hostRule{}, errors.New("its port must be a number from 1 to 65535")
		}
		host = name
	}
	if host == "*" {
		return hostRule{port: uint16(port)}, nil
	}
	host, subs := strings.CutPrefix(host, "*.")
	name, err := PlainHost(host)
	if err != nil || name == "" || strings.HasPrefix(name, ".") || strings.Contains(name, "..") || EndsInNumber(name) {
		return hostRule{},
			errors.New("it is not the name of a host; write example.com, *.example.com or an IP address, each with :port if it matters")
	}
	return hostRule{name, subs, uint16(port)}, nil
}

func addressRule(addr netip.Addr, port uint16) (hostRule, error) {
	if addr.Zone() != "" {
		return hostRule{}, errors.New("an address must not have a zone")
	}
	return hostRule{name: addr.Unmap().String(), port: port}, nil
}
