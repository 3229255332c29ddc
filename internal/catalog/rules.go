package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/tool"
)

// AgentRules is the record of an agent: what it may use. Tools and Groups add
// to each other, Deny takes away. A name may end in *, which stands for any
// rest. Empty lists allow nothing.
type AgentRules struct {
	// Tools are names or aliases of tools.
	Tools []string `json:"tools"`
	// Groups are names of groups.
	Groups []string `json:"groups"`
	// Deny are names or aliases of tools, or exact names of groups.
	Deny []string `json:"deny"`
}

// maxNames bounds each list of a record, so that judging a call stays cheap.
const maxNames = 1000

// ruleName is a name, or the beginning of one, or the beginning of a group's.
var ruleName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9_.-]{1,64}|[A-Za-z0-9_.-]{0,64}\*)$`)
})

// Validate reports every entry that cannot name anything.
func (r AgentRules) Validate() error {
	var errs []error
	for _, list := range []struct {
		field string
		names []string
	}{{"tools", r.Tools}, {"groups", r.Groups}, {"deny", r.Deny}} {
		if len(list.names) > maxNames {
			errs = append(errs, fmt.Errorf("%s has %d entries, at most %d are allowed: shorten it with names that end in *", list.field, len(list.names), maxNames))
			continue
		}
		for i, name := range list.names {
			if !ruleName().MatchString(name) {
				errs = append(errs, fmt.Errorf("%s[%d] %.80q is not a name: use letters, digits, _ . and -, at most 64 bytes, with an optional * at the end", list.field, i, name))
			}
		}
	}
	return errors.Join(errs...)
}

// Normal returns a copy that shares nothing with r and whose lists encode as
// lists even when they are empty.
func (r AgentRules) Normal() AgentRules {
	copied := func(list []string) []string { return append([]string{}, list...) }
	return AgentRules{Tools: copied(r.Tools), Groups: copied(r.Groups), Deny: copied(r.Deny)}
}

func (r AgentRules) denies(def *tool.Definition) bool {
	return slices.ContainsFunc(r.Deny, func(name string) bool {
		return name == def.Group || matchesTool(name, def)
	})
}

func (r AgentRules) names(def *tool.Definition) bool {
	covers := func(name string) bool { return name != "*" || def.Group != Diagnostics }
	return slices.ContainsFunc(r.Tools, func(name string) bool { return covers(name) && matchesTool(name, def) }) ||
		slices.ContainsFunc(r.Groups, func(name string) bool { return covers(name) && matches(name, def.Group) })
}

func matchesTool(pattern string, def *tool.Definition) bool {
	return matches(pattern, def.Name) ||
		slices.ContainsFunc(def.Aliases, func(alias string) bool { return matches(pattern, alias) })
}

func matches(pattern, name string) bool {
	prefix, open := strings.CutSuffix(pattern, "*")
	return pattern == name || open && strings.HasPrefix(name, prefix)
}
