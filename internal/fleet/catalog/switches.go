package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Switches are the groups that an operator has switched, for everybody or for one
// tenant. They are immutable in use; the zero value switches nothing.
type Switches struct {
	all    map[string]bool
	tenant map[string]map[string]bool
}

// ParseSwitches parses entries like "git=on" and "acme:webFetch=off"; an entry for a
// tenant overrides one for everybody. A group that is not built in may be switched too:
// an operator's scripts have groups of their own.
func ParseSwitches(entries []string) (Switches, error) {
	s := Switches{all: map[string]bool{}, tenant: map[string]map[string]bool{}}
	for _, entry := range entries {
		who, state, ok := strings.Cut(entry, "=")
		tenant, group, ofTenant := strings.Cut(who, ":")
		if !ofTenant {
			tenant, group = "", who
		}
		if !ok || state != "on" && state != "off" || group == "" || ofTenant && tenant == "" {
			return Switches{}, fmt.Errorf("%q does not switch a group: write GROUP=on, GROUP=off or TENANT:GROUP=on", entry)
		}
		if near := Spelling(group); near != "" {
			return Switches{}, fmt.Errorf("%q: there is no group %s; did you mean %s?", entry, group, near)
		}
		switches := s.all
		if ofTenant {
			if s.tenant[tenant] == nil {
				s.tenant[tenant] = map[string]bool{}
			}
			switches = s.tenant[tenant]
		}
		if _, twice := switches[group]; twice {
			return Switches{}, fmt.Errorf("%q: the group %s is switched twice; leave one of the two out", entry, group)
		}
		switches[group] = state == "on"
	}
	return s, nil
}

var unparted = strings.NewReplacer("_", "", "-", "", ".", "")

// Spelling returns the built-in group that differs from name only in case and
// separators, or "".
func Spelling(name string) string {
	for _, group := range slices.Sorted(maps.Keys(known)) {
		if group != name && strings.EqualFold(group, unparted.Replace(name)) {
			return group
		}
	}
	return ""
}

// BuiltinGroups returns the names of the built-in groups, in order.
func BuiltinGroups() []string { return slices.Sorted(maps.Keys(known)) }

// explicit returns the setting for a group, and whether it is set.
func (s Switches) explicit(tenant, group string) (on, set bool) {
	if on, set = s.tenant[tenant][group]; !set {
		on, set = s.all[group]
	}
	return on, set
}

// off reports whether the group is unavailable in the tenant: it is switched off, or a
// group that it depends on is.
func (s Switches) off(tenant, group string) bool {
	if on, set := s.explicit(tenant, group); set && !on {
		return true
	}
	return slices.ContainsFunc(known[group].DependsOn, func(other string) bool { return s.off(tenant, other) })
}

// usual reports whether the tenant has the group where no agent's record names it.
func (s Switches) usual(tenant, group string) bool {
	if s.off(tenant, group) {
		return false
	}
	if on, set := s.explicit(tenant, group); set {
		return on
	}
	return about(group).Default
}

// Allows decides whether an agent of a tenant may use a tool; it is the only place that
// decides.
//
// Nobody has a tool that is disabled, of a group that was switched off, or bound to other
// tenants or agents. Beyond that, a call without an agent ("") and an agent without a
// record (nil rules) have the groups that are on by default or were switched on, the
// diagnostics only without an agent; and an agent with a record has what the record lists,
// groups that are off by default included. A bare * in a record does not cover the
// diagnostics.
func (s Switches) Allows(rules *protocol.AgentRules, tenant, agent string, def *tool.Definition) bool {
	switch {
	case !def.Enabled || s.off(tenant, def.Group) || !def.BoundTo.Listed(tenant, agent):
		return false
	case agent == "":
		return s.usual(tenant, def.Group)
	case rules == nil:
		return def.Group != Diagnostics && s.usual(tenant, def.Group)
	}
	return !denies(rules, def) && allows(rules, def)
}
