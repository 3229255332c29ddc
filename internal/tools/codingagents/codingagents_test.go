package codingagents

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/ports/programs/programstest"
	"github.com/helve-dev/helve/internal/ports/services"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// world is a workspace on disk, agents that are scripts, a store, and an operator's configuration.
type world struct {
	t    *testing.T
	dir  string // the workspace
	bin  string
	kept *tooltest.Store
	call tool.Call
}

// keys holds the keys of the known agents.
const keys = `
- tenant: acme
  service: coding-claude-code
  data: {api_key: sk-ant-secret-1}
- tenant: acme
  service: coding-codex
  data: {api_key: sk-codex-secret-2}
- tenant: acme
  service: coding-gemini
  data: {api_key: gm-secret-3}
`

func newWorld(t *testing.T, configured string) *world {
	t.Helper()
	data := t.TempDir()
	w := &world{t: t, dir: filepath.Join(data, "workspaces", "acme", "u1"), bin: t.TempDir()}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	spaces, err := workspace.New(data)
	if err != nil {
		t.Fatal(err)
	}
	if w.call.Files, err = spaces.For("acme", "u1"); err != nil {
		t.Fatal(err)
	}
	port := programs.New(programs.Options{
		Launcher: programstest.Launcher(t),
		Dir:      func(tenant, user string) (string, error) { return filepath.Join(data, "workspaces", tenant, user), nil },
		Path:     w.bin + ":/usr/local/bin:/usr/bin:/bin", Readable: []string{w.bin},
	})
	if w.call.Programs, err = port.For("acme", "u1"); err != nil {
		t.Fatal(err)
	}
	w.kept = tooltest.NewStore(t)
	w.call.Store = w.kept.For("acme", "u1")
	w.call.ID, w.call.Tenant, w.call.User, w.call.Clock = "call-7", "acme", "u1", clock{}
	w.configure(configured)
	return w
}

func (w *world) configure(configured string) {
	w.t.Helper()
	if configured == "" {
		configured = "[]"
	}
	file := filepath.Join(w.t.TempDir(), "services.yaml")
	if err := os.WriteFile(file, []byte(configured), 0o600); err != nil {
		w.t.Fatal(err)
	}
	center, err := services.Open(file)
	if err != nil {
		w.t.Fatal(err)
	}
	w.call.Secrets = center.For("acme", "u1")
}

// clock advances at each reading, since sessions take time.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

// agent creates an agent program on the PATH. The prompt is its last argument.
func (w *world) agent(name, text string) {
	w.t.Helper()
	w.binary(name, "#!/bin/sh\nfor prompt in \"$@\"; do :; done\n"+text+"\n")
}

func (w *world) binary(name, contents string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.bin, name), []byte(contents), 0o700); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) file(name, text string) {
	w.t.Helper()
	if err := w.call.Files.MkdirAll(filepath.Dir(name)); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.call.Files.Write(name, strings.NewReader(text)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) play(name string, cases ...tooltest.Case) {
	w.t.Helper()
	tooltest.Run(w.t, Set, name, w.call, cases)
}

// wantSlots checks the number of slots that are taken.
func (w *world) wantSlots(want int) {
	w.t.Helper()
	if taken, err := slots.Query(w.t.Context(), w.kept.For("acme", "u1"), tool.Query{}); err != nil || len(taken.List) != want {
		w.t.Errorf("slots %+v are taken, %v, want %d", taken.List, err, want)
	}
}

// output decodes the result of run_coding_task.
func output(t *testing.T, res tool.Result) runResult {
	t.Helper()
	var r runResult
	if err := json.Unmarshal(res.Value, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// get reads a result with get_task_result.
func (w *world) get(id string) (k kept) {
	w.t.Helper()
	w.play("get_task_result", tooltest.Case{Name: "get " + id, Args: `{"result_id":"` + id + `"}`, Check: func(t *testing.T, res tool.Result) {
		if err := json.Unmarshal(res.Value, &k); err != nil {
			t.Error(err)
		}
	}})
	return k
}

// list lists the results.
func (w *world) list(args string) (l listResult) {
	w.t.Helper()
	w.play("list_task_results", tooltest.Case{Name: "list", Args: args, Check: func(t *testing.T, res tool.Result) {
		if err := json.Unmarshal(res.Value, &l); err != nil {
			t.Error(err)
		}
	}})
	return l
}

// watcher signals when a session has written something.
type watcher struct {
	mu   sync.Mutex
	text strings.Builder
	want string
	came chan struct{}
}

func watch(want string) *watcher { return &watcher{want: want, came: make(chan struct{})} }

func (w *watcher) Emit(kind string, data any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	piece, _ := data.(map[string]string)
	before := strings.Contains(w.text.String(), w.want)
	w.text.WriteString(piece["output"])
	if kind == "partial" && !before && strings.Contains(w.text.String(), w.want) {
		close(w.came)
	}
}

// begin starts a session and returns once it has written "up".
func (w *world) begin(ctx context.Context, args string) <-chan error {
	w.t.Helper()
	call, events := w.call, watch("up")
	call.Events = events
	done := make(chan error, 1)
	for _, tl := range Set.Tools() {
		if tl.Name != "run_coding_task" {
			continue
		}
		inv, err := tl.Bind(json.RawMessage(args))
		if err != nil {
			w.t.Fatal(err)
		}
		go func() {
			_, err := inv.Run(ctx, &call)
			done <- err
		}()
	}
	select {
	case <-events.came:
	case err := <-done:
		w.t.Fatalf("the session ended before it was up: %v", err)
	case <-time.After(queuetest.Patience):
		w.t.Fatal("the session is not up")
	}
	return done
}
