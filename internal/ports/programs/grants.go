package programs

import (
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// grantsOf returns the parts of the workspace that are within all scopes, each a path
// with everything below it; "." is the whole workspace. The kernel can limit a program
// to such parts, and to nothing finer.
func grantsOf(within []tool.Scopes) ([]string, error) {
	grants := []string{"."}
	for _, s := range within {
		if scope.AnyPath(s) {
			continue
		}
		entries := make([]string, 0, len(s.Paths))
		for _, entry := range s.Paths {
			part := strings.TrimPrefix(strings.TrimSuffix(path.Clean(entry), "/**"), "workspace/")
			if strings.Contains(part, "*") || scope.Tree(part, tool.Scopes{Paths: []string{entry}}) != nil {
				return nil, tool.Fail(tool.PathNotAllowed,
					"Access denied: a program cannot be held to the scope '%s'; use scopes that name directories or files, without patterns", entry)
			}
			entries = append(entries, part)
		}
		grants = deeper(grants, entries)
	}
	if len(grants) == 0 {
		return nil, tool.Fail(tool.PathNotAllowed, "Access denied: the scopes of this call leave a program no path in common")
	}
	return grants, nil
}

// deeper returns the parts that are within one of both lists.
func deeper(a, b []string) []string {
	var both []string
	for _, x := range a {
		for _, y := range b {
			switch {
			case x == "." || below(y, x):
				both = append(both, y)
			case below(x, y):
				both = append(both, x)
			}
		}
	}
	slices.Sort(both)
	return slices.Compact(both)
}
