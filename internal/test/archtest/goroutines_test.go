package archtest

import (
	"go/ast"
	"strings"
	"testing"
)

// exposed lists the packages that handle bytes from outside: requests, files, messages,
// answers of servers and programs. "x/*" is any package below x.
var exposed = []string{
	"internal/server/api", "internal/server/api/*", "internal/toolbox/apidoc", "internal/toolbox/apitools", "internal/dispatch/callback",
	"internal/accounts/connect", "internal/consent", "internal/dispatch",
	"internal/toolbox/dynamic", "internal/engine", "internal/execution", "internal/server/filetransfer", "internal/toolbox/foreign",
	"internal/engine/gate", "internal/identity", "internal/toolbox/js",
	"internal/toolbox/js/*", "internal/lib/*", "internal/accounts/oauth", "internal/personaldata", "internal/provider", "internal/bus/peer",
	"internal/bus/queue", "internal/bus/streams", "internal/bus/events", "internal/bus/callbacks", "internal/bus/kept", "internal/bus/deadletters", "internal/bus/inspect", "internal/bus/timers",
	"internal/toolbox/remote", "internal/toolbox/sandbox",
	"internal/dispatch/schedule", "internal/jsonx/schema", "internal/server/signin", "internal/tools/*", "internal/toolbox/upstream",
	"internal/toolbox/upstream/*",
}

// unexposed lists files of those packages whose goroutines handle nothing from outside, with
// the reason.
var unexposed = map[string]string{
	"internal/server/api/consents.go":                     "it waits for two channels",
	"internal/toolbox/apitools/pool.go":                   loop,
	"internal/dispatch/callback/sender.go":                loop,
	"internal/accounts/connect/lock.go":                   loop,
	"internal/consent/service.go":                         loop,
	"internal/dispatch/loops.go":                          loop,
	"internal/identity/keys.go":                           loop,
	"internal/toolbox/js/library/notifier.go":             loop,
	"internal/bus/queue/backlog.go":                       loop,
	"internal/bus/queue/consume.go":                       loop,
	"internal/bus/streams/fill.go":                        loop,
	"internal/bus/streams/keeper.go":                      loop,
	"internal/bus/queue/lanecheck.go":                     loop,
	"internal/bus/streams/room.go":                        loop,
	"internal/bus/queue/pool.go":                          loop,
	"internal/toolbox/sandbox/process_linux.go":           loop,
	"internal/toolbox/sandbox/spawner.go":                 loop,
	"internal/dispatch/schedule/sweep.go":                 loop,
	"internal/toolbox/upstream/pool.go":                   "a connection recovers its own panics",
	"internal/lib/mail/mailtest/serve.go":                 program,
	"internal/bus/queue/queuetest/lossy.go":               program,
	"internal/toolbox/sandbox/child/autoexec/autoexec.go": program,
	"internal/toolbox/sandbox/child/inbox.go":             program,
	"internal/toolbox/sandbox/testchild/process.go":       program,
}

const (
	loop = "it is a loop over the state of this process or of NATS, without which the process is of no use: a bug there must be seen, " +
		"and a restart mends what it left"
	program = "it is a part of a program that may crash: a child, or one for tests"
)

// brokenGoroutines finds goroutines of exposed packages whose panic would end the process.
func brokenGoroutines(all []source) []string {
	var broken []string
	for _, s := range all {
		if s.Test || unexposed[s.Path] != "" || !isExposed(s.Dir) {
			continue
		}
		names := imports(s.File)
		ast.Inspect(s.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				broken = append(broken,
					s.at(n)+": a panic here ends the process: start it with gopool.Go, a gopool.Group or the pool of the connection")
			case *ast.SelectorExpr:
				pkg, name, _ := qualified(n, names)
				if pkg == "sync" && name == "WaitGroup" || strings.HasSuffix(pkg, "/errgroup") {
					broken = append(broken,
						s.at(n)+": a panic of its goroutines ends the process: use a gopool.Group, which hands it to the goroutine that waits")
				}
			}
			return true
		})
	}
	return broken
}

func isExposed(dir string) bool {
	for _, p := range exposed {
		tree, below := strings.CutSuffix(p, "*")
		if dir == p || below && strings.HasPrefix(dir, tree) {
			return true
		}
	}
	return false
}

// TestGoroutines: no bytes from outside can end a process by way of a goroutine.
func TestGoroutines(t *testing.T) {
	report(t, brokenGoroutines(sources(t)))
}

func TestBrokenGoroutines(t *testing.T) {
	for _, tt := range []struct {
		file, text string
		want       int
	}{
		{"internal/server/api/a.go", "package a\n\nfunc f() { go f() }\n", 1},
		{"internal/tools/x/y/a.go", "package a\n\nimport \"sync\"\n\nvar w sync.WaitGroup\n", 1},
		{"internal/lib/x/a.go", "package a\n\nimport \"golang.org/x/sync/errgroup\"\n\nvar g errgroup.Group\n", 1},
		{"internal/lib/x/a_test.go", "package a\n\nfunc f() { go f() }\n", 0},
		{"internal/app/a.go", "package a\n\nfunc f() { go f() }\n", 0},
		{"internal/server/api/a.go", "package a\n\nimport \"sync\"\n\nvar m sync.Mutex\n", 0},
	} {
		if got := brokenGoroutines([]source{parse(t, tt.file, tt.text)}); len(got) != tt.want {
			t.Errorf("brokenGoroutines(%s, %q) = %q, want %d findings", tt.file, tt.text, got, tt.want)
		}
	}
}
