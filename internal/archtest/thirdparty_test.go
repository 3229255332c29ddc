package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// rule keeps an import in, or out of, some trees.
type rule struct {
	imports string   // an import path; what lies below it is meant too
	exact   bool     // only the path itself
	only    []string // the trees that may import it; everywhere else it is forbidden
	never   string   // or: the tree that may not
	why     string
}

var natsHomes = []string{"internal/bus", "internal/embedded", "internal/bench", "client"}

var rules = []rule{
	{imports: "github.com/nats-io/nats.go", only: natsHomes, why: "everything else speaks to the bus in its own words"},
	{imports: "github.com/nats-io/nats-server", only: natsHomes, why: "only internal/embedded and what measures it run a server"},
	{imports: "code.dny.dev/ssrf", only: []string{"internal/backend/netguard"}, why: "there is one guarded dialer for every outgoing path"},
	{imports: "github.com/dop251/goja", only: []string{"internal/js", "internal/bench"}, why: "there is one way to run a script, and every trap of the engine is dealt with there"},
	{imports: "github.com/landlock-lsm", only: []string{"internal/sandbox/lockdown"}, why: "a process is locked down in one place"},
	{imports: "os", never: "internal/tools", why: "a category opens files through call.Files, which is rooted"},
	{imports: "net", exact: true, never: "internal/tools", why: "a category reaches hosts through call.HTTP, which is guarded"},
}

// dialing names what opens a connection past the guard.
var dialing = map[string][]string{
	"net":        {"Dial", "DialIP", "DialTCP", "DialTimeout", "DialUDP", "DialUnix", "Dialer"},
	"crypto/tls": {"Dial", "DialWithDialer", "Dialer"},
	"net/http":   {"DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"},
}

// unguarded trees face the operator's own hosts, not those a model names, or try
// whether the cage lets them out.
var unguarded = []string{"internal/backend/netguard", "internal/bench", "internal/bus", "internal/sandbox/testchild", "client"}

func brokenRules(rules []rule, all []source) []string {
	var broken []string
	for _, s := range all {
		if s.Test {
			continue // a test may play the outside world
		}
		for _, spec := range s.File.Imports {
			for _, r := range rules {
				if r.covers(importPath(spec)) && !r.allows(s.Dir) {
					broken = append(broken, fmt.Sprintf("%s: %s must not import %s: %s", s.at(spec), s.Dir, importPath(spec), r.why))
				}
			}
		}
	}
	return broken
}

func (r rule) covers(imp string) bool {
	return imp == r.imports || !r.exact && strings.HasPrefix(imp, r.imports+"/")
}

func (r rule) allows(dir string) bool {
	if r.never != "" {
		return !under(dir, r.never)
	}
	return slices.ContainsFunc(r.only, func(tree string) bool { return under(dir, tree) })
}

// brokenDials finds what connects past the guard.
func brokenDials(all []source) []string {
	var broken []string
	for _, s := range all {
		if s.Test || slices.ContainsFunc(unguarded, func(tree string) bool { return under(s.Dir, tree) }) {
			continue
		}
		names := imports(s.File)
		ast.Inspect(s.File, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if pkg, name, ok := qualified(e, names); ok && slices.Contains(dialing[pkg], name) {
				broken = append(broken, fmt.Sprintf("%s: %s.%s connects past the guard: dial with internal/backend/netguard, which refuses private addresses", s.at(n), path.Base(pkg), name))
			}
			return true
		})
	}
	return broken
}

func TestThirdParty(t *testing.T) {
	all := sources(t)
	report(t, brokenRules(rules, all))
	report(t, brokenDials(all))
}

func TestBrokenRules(t *testing.T) {
	for _, tt := range []struct {
		file, imports string
		broken        bool
	}{
		{"internal/bus/x.go", "github.com/nats-io/nats.go/jetstream", false},
		{"internal/bus/bustest/x.go", "github.com/nats-io/nats.go", false},
		{"internal/engine/x.go", "github.com/nats-io/nats.go/jetstream", true},
		{"internal/engine/x_test.go", "github.com/nats-io/nats.go", false},
		{"internal/busy/x.go", "github.com/nats-io/nats-server/v2/server", true},
		{"internal/tools/web/x.go", "net/http", false},
		{"internal/tools/web/x.go", "net", true},
		{"internal/tools/web/x.go", "os/exec", true},
		{"internal/tools/web/x.go", "code.dny.dev/ssrf", true},
		{"internal/backend/netguard/x.go", "code.dny.dev/ssrf", false},
	} {
		src := parse(t, tt.file, fmt.Sprintf("package x\n\nimport _ %q\n", tt.imports))
		if got := brokenRules(rules, []source{src}); (len(got) > 0) != tt.broken {
			t.Errorf("brokenRules(%s importing %s) = %q, want broken %v", tt.file, tt.imports, got, tt.broken)
		}
	}
}

func TestBrokenDials(t *testing.T) {
	const text = `package x

import (
	"net"
	web "net/http"
)

var d = net.Dialer{}

func f(c *web.Client) { web.Get("http://a"); net.ParseIP("::1"); c.Get("http://a") }
`
	for file, want := range map[string]int{
		"internal/engine/x.go":           2,
		"internal/engine/x_test.go":      0,
		"internal/backend/netguard/x.go": 0,
	} {
		if got := brokenDials([]source{parse(t, file, text)}); len(got) != want {
			t.Errorf("brokenDials(%s) = %q, want %d findings", file, got, want)
		}
	}
}
