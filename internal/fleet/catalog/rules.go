package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// maxNames bounds each list of a record, so that authorizing a call stays cheap.
const maxNames = 1000

// ruleName matches a name, a prefix of one, or a prefix of a group's name.
var ruleName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9_.-]{1,64}|[A-Za-z0-9_.-]{0,64}\*)$`)
})

// CheckRules reports every entry of a record that cannot match anything.
func CheckRules(r protocol.AgentRules) error {
	var errs []error
	for _, list := range []struct {
		field string
		names []string
	}{{"tools", r.Tools}, {"groups", r.Groups}, {"deny", r.Deny}} {
		if len(list.names) > maxNames {
			errs = append(errs,
				fmt.Errorf("%s has %d entries, at most %d are allowed: shorten it with names that end in *", list.field, len(list.names), maxNames))
			continue
		}
		for i, name := range list.names {
			if !ruleName().MatchString(name) {
				errs = append(errs,
					fmt.Errorf("%s[%d] %.80q is not a name: use letters, digits, _ . and -, at most 64 bytes, with an optional * at the end",
						list.field, i, name))
			}
		}
	}
	return errors.Join(errs...)
}

func denies(r *protocol.AgentRules, def *tool.Definition) bool {
	return slices.ContainsFunc(r.Deny, func(name string) bool {
		return name == def.Group || matchesTool(name, def)
	})
}

func allows(r *protocol.AgentRules, def *tool.Definition) bool {
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
