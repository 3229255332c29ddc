package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// withoutNATS lists packages that must run and be tested without NATS: they link no
// package of it, also through others of ours.
var withoutNATS = []string{"internal/engine", "internal/execution", "internal/policy", "tool"}

// linkingNATS returns a finding for each package of roots that reaches NATS, with the chain
// of imports.
func linkingNATS(roots []string, all []source) []string {
	imports := map[string][]string{}
	for _, s := range all {
		if s.Test {
			continue
		}
		for _, spec := range s.File.Imports {
			imports[s.Dir] = append(imports[s.Dir], importPath(spec))
		}
	}
	var broken []string
	for _, root := range roots {
		if len(imports[root]) == 0 {
			broken = append(broken, fmt.Sprintf("package %s is gone: take it out of withoutNATS", root))
		}
		if chain := chainToNATS(imports, root, map[string]bool{}); chain != nil {
			broken = append(broken, fmt.Sprintf("%s must not link NATS: %s", root, strings.Join(chain, " → ")))
		}
	}
	return broken
}

func chainToNATS(imports map[string][]string, dir string, seen map[string]bool) []string {
	seen[dir] = true
	for _, to := range imports[dir] {
		if strings.HasPrefix(to, "github.com/nats-io/") {
			return []string{dir, to}
		}
		if next, ours := strings.CutPrefix(to, module+"/"); ours && !seen[next] {
			if chain := chainToNATS(imports, next, seen); chain != nil {
				return slices.Insert(chain, 0, dir)
			}
		}
	}
	return nil
}

func TestLinksNoNATS(t *testing.T) {
	report(t, linkingNATS(withoutNATS, sources(t)))
}

func TestBrokenLinksNoNATS(t *testing.T) {
	file := func(dir, imports string) source {
		return parse(t, dir+"/x.go", fmt.Sprintf("package x\n\nimport _ %q\n", imports))
	}
	for _, tt := range []struct {
		name string
		all  []source
		want int
	}{
		{"nothing of NATS", []source{file("a", "fmt"), file("b", "github.com/nats-io/nats.go")}, 0},
		{"itself", []source{file("a", "github.com/nats-io/nats.go/jetstream")}, 1},
		{
			"through another",
			[]source{file("a", module+"/b"), file("b", module+"/a"), file("b", module+"/c"), file("c", "github.com/nats-io/nkeys")}, 1,
		},
		{"a package that is gone", []source{file("b", "fmt")}, 1},
	} {
		if got := linkingNATS([]string{"a"}, tt.all); len(got) != tt.want {
			t.Errorf("%s: linkingNATS = %q, want %d findings", tt.name, got, tt.want)
		}
	}
}
