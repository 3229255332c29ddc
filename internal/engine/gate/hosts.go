package gate

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// noHost replaces an address without a host. No connection to it can succeed.
const noHost = "none.invalid"

// maxNamed bounds the hosts of one call that a grant can cover.
const maxNamed = 20

// named returns the hosts of the addresses among the arguments, in the notation of scopes,
// if the tool reaches the network; nil if there are none.
func (p *pass) named() (hosts []string) {
	def, needs := p.j.Definition(), p.j.Entry().Tool.Needs
	if !def.OpenWorld && len(def.Scopes.Hosts) == 0 && !needs.Has(tool.NeedHTTP) {
		return nil
	}
	if def.Kind == tool.KindOpenAPI {
		return nil // an address is data for the one host that the tool reaches
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(p.j.Arguments(), &members) != nil {
		return nil
	}
	for name, value := range members {
		if !addressName(name) {
			continue
		}
		var one string
		var list []string
		if json.Unmarshal(value, &one) == nil && one != "" {
			list = []string{one}
		} else if json.Unmarshal(value, &list) != nil {
			continue
		}
		for _, address := range list {
			hosts = append(hosts, hostOf(address))
		}
	}
	slices.Sort(hosts)
	hosts = slices.Compact(hosts)
	if len(hosts) > maxNamed {
		return []string{noHost}
	}
	return hosts
}

// addressName reports whether parameters of this name hold addresses.
func addressName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "url") || strings.HasSuffix(name, "urls") || strings.HasSuffix(name, "uri") ||
		strings.HasSuffix(name, "endpoint")
}

// hostOf returns the host of an address, with its port if it has one.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return noHost
	}
	host, err := scope.PlainHost(u.Hostname())
	if err != nil || host == "" {
		return noHost
	}
	switch port := u.Port(); {
	case port == "":
		return host
	case strings.Contains(host, ":"):
		return "[" + host + "]:" + port
	default:
		return host + ":" + port
	}
}

// covers reports whether a grant includes the hosts that the call names.
func (p *pass) covers(grant *protocol.Grant) bool {
	if grant.Scopes == nil || len(grant.Scopes.Hosts) == 0 {
		return true
	}
	for _, host := range p.named() {
		port := uint16(443) // only entries with a port check it
		if i := strings.LastIndexByte(host, ':'); i > 0 && !strings.HasSuffix(host, "]") && (strings.Count(host, ":") == 1 || host[0] == '[') {
			n, err := strconv.ParseUint(host[i+1:], 10, 16)
			if err != nil {
				return false
			}
			host, port = strings.Trim(host[:i], "[]"), uint16(n)
		}
		if scope.Host(host, port, tool.Scopes{Hosts: grant.Scopes.Hosts}) != nil {
			return false
		}
	}
	return true
}

// kinds holds the kinds of scopes that apply to a tool.
type kinds struct{ paths, hosts, apps bool }

// kinds returns the kinds that the tool's definition names or its ports obey; all of them
// if neither is known.
func (p *pass) kinds() kinds {
	own, needs := p.j.Definition().Scopes, p.j.Entry().Tool.Needs
	k := kinds{
		paths: len(own.Paths) > 0 || needs.Has(tool.NeedFiles) || needs.Has(tool.NeedPrograms),
		hosts: len(own.Hosts) > 0 || needs.Has(tool.NeedHTTP) || p.j.Definition().OpenWorld,
		apps:  len(own.Apps) > 0 || needs.Has(tool.NeedDesktop) || needs.Has(tool.NeedContainers),
	}
	if k == (kinds{}) {
		return kinds{true, true, true}
	}
	return k
}

// explicit reports whether scopes restrict a kind that applies to the tool.
func (k kinds) explicit(s tool.Scopes) bool {
	return k.paths && len(s.Paths) > 0 || k.hosts && len(s.Hosts) > 0 || k.apps && len(s.Apps) > 0
}
