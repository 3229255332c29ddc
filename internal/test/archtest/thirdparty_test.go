package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// rule restricts an import to some trees, or forbids it in one.
type rule struct {
	imports string   // an import path, with all paths below it
	exact   bool     // only the path itself
	only    []string // the trees that may import it; all others may not
	never   string   // or: the tree that may not
	but     string   // below never, the tree that may
	tests   bool     // whether the rule holds for tests, too
	why     string
}

var natsHomes = []string{
	"internal/bus/queue", "internal/bus/streams", "internal/bus/peer", "internal/bus/events", "internal/bus/callbacks", "internal/bus/timers",
	"internal/bus/deadletters", "internal/bus/inspect", "internal/bus/kept", "internal/bus/programs", "internal/bus/natsio", "internal/bus/embedded",
	"internal/consent/store", "internal/audit/stream", "internal/test/e2e/system", "client",
}

// random lists the trees that use numbers which others may predict. A linter reports every
// such use as a weakness, so it is off, and a new use is a new line here.
var random = []string{
	"client",                        // spreads the attempts of clients
	"internal/dispatch/callback",    // spreads the attempts of callbacks
	"internal/execution",            // spreads attempts of calls whose workers were lost
	"internal/fleet",                // spreads calls over workers
	"internal/lib/backoff",          // spreads attempts
	"internal/lib/outward",          // spreads attempts
	"internal/lib/vector",           // draws the same directions in every worker
	"internal/policy/ratelimit",     // spreads writes of the same counter
	"internal/toolbox/js",           // gives a program the same numbers in every run, by design
	"internal/test/testmutate",      // makes the same files in every run
	"internal/tools/utilities/data", // shuffles a list for the caller
	"internal/toolbox/upstream",     // spreads starts of servers
}

var rules = []rule{
	{imports: "github.com/nats-io/nats.go", only: natsHomes, why: "everything else speaks to NATS in its own words"},
	{imports: "github.com/nats-io/nats-server", only: natsHomes, why: "only internal/bus/embedded and what measures it run a server"},
	{imports: "code.dny.dev/ssrf", only: []string{"internal/ports/netguard"}, why: "there is one guarded dialer for every outgoing path"},
	{
		imports: "github.com/dop251/goja",
		only:    []string{"internal/toolbox/js"},
		why:     "there is one way to run a script, and every trap of the engine is dealt with there",
	},
	{
		imports: "github.com/SherClockHolmes/webpush-go",
		only:    []string{"internal/server/push"},
		why:     "notifications leave by one sender, with the guard and its bounds",
	},
	{
		imports: "github.com/pb33f",
		only:    []string{"internal/toolbox/apidoc"},
		why:     "there is one reader of API documents, which bounds what they cost",
	},
	{
		imports: module + "/internal/test/e2e",
		only:    []string{"internal/test/e2e", "examples/chat-web"},
		tests:   true,
		why:     "no program links the bench of its tests, and a test elsewhere has a smaller one",
	},
	{imports: "math/rand", only: random, why: "others may predict its numbers, and secrets and identifiers come from crypto/rand"},
	{
		imports: "net/http",
		never:   "internal/dispatch",
		but:     "internal/dispatch/callback",
		why:     "an HTTP status is the api's: dispatch returns errors with a kind",
	},
	{imports: "os", never: "internal/tools", why: "a category opens files through call.Files, which is rooted"},
	{imports: "net", exact: true, never: "internal/tools", why: "a category reaches hosts through call.HTTP, which is guarded"},
}

// dialing lists functions that open a connection without the guard.
var dialing = map[string][]string{
	"net":        {"Dial", "DialIP", "DialTCP", "DialTimeout", "DialUDP", "DialUnix", "Dialer"},
	"crypto/tls": {"Dial", "DialWithDialer", "Dialer"},
	"net/http":   {"DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"},
}

// unguarded lists trees that connect to the operator's own hosts, not to hosts that a
// model names, or that test whether the sandbox prevents connections.
var unguarded = []string{
	"internal/ports/netguard", "internal/test/links", "internal/bus/queue/queuetest", "internal/bus/natsio",
	"internal/toolbox/sandbox/testchild", "client",
}

func brokenRules(rules []rule, all []source) []string {
	var broken []string
	for _, s := range all {
		for _, spec := range s.File.Imports {
			for _, r := range rules {
				if s.Test && !r.tests {
					continue // a test may play the outside world
				}
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
		return !under(dir, r.never) || r.but != "" && under(dir, r.but)
	}
	return slices.ContainsFunc(r.only, func(tree string) bool { return under(dir, tree) })
}

// brokenDials finds connections without the guard.
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
				broken = append(broken,
					fmt.Sprintf("%s: %s.%s connects past the guard: dial with internal/ports/netguard, which refuses private addresses",
						s.at(n), path.Base(pkg), name))
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
		{"internal/bus/queue/x.go", "github.com/nats-io/nats.go/jetstream", false},
		{"internal/bus/queue/queuetest/x.go", "github.com/nats-io/nats.go", false},
		{"internal/engine/x.go", "github.com/nats-io/nats.go/jetstream", true},
		{"internal/engine/x_test.go", "github.com/nats-io/nats.go", false},
		{"internal/test/e2e/calls/x_test.go", module + "/internal/test/e2e/system", false},
		{"internal/bus/queue/x_test.go", module + "/internal/test/e2e/system", true},
		{"examples/chat-web/x_test.go", module + "/internal/test/e2e/browser", false},
		{"cmd/helve/x.go", module + "/internal/test/e2e/system", true},
		{"internal/queuey/x.go", "github.com/nats-io/nats-server/v2/server", true},
		{"internal/tools/web/x.go", "net/http", false},
		{"internal/dispatch/x.go", "net/http", true},
		{"internal/dispatch/callback/x.go", "net/http", false},
		{"internal/dispatch/x_test.go", "net/http", false},
		{"internal/tools/web/x.go", "net", true},
		{"internal/tools/web/x.go", "os/exec", true},
		{"internal/tools/web/x.go", "code.dny.dev/ssrf", true},
		{"internal/ports/netguard/x.go", "code.dny.dev/ssrf", false},
		{"internal/lib/backoff/x.go", "math/rand/v2", false},
		{"internal/identity/token/x.go", "math/rand/v2", true},
		{"internal/identity/token/x_test.go", "math/rand/v2", false},
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
		"internal/engine/x.go":         2,
		"internal/engine/x_test.go":    0,
		"internal/ports/netguard/x.go": 0,
	} {
		if got := brokenDials([]source{parse(t, file, text)}); len(got) != want {
			t.Errorf("brokenDials(%s) = %q, want %d findings", file, got, want)
		}
	}
}
