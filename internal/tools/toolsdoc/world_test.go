package toolsdoc

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// world runs examples, each on a stage of its own. It uses the worker's real parts if a
// machine can have them. Things outside a worker (the internet, installed programs) are
// imitated, and everything that an operator must set up first is absent.
type world struct {
	*testing.T

	tools   map[string]*tool.Tool
	fixture string
	lacks   string // the reason why there is no fixture
	http    edge
	queue   func() *queue.Queue
	plays   int
}

func newWorld(t *testing.T, sets []*tool.Set) *world {
	t.Helper()
	w := &world{T: t, tools: map[string]*tool.Tool{}, fixture: t.TempDir(), http: newEdge(t)}
	w.queue = sync.OnceValue(func() *queue.Queue { return queuetest.Connect(t, queuetest.Server(t)) })
	for _, set := range sets {
		for _, tl := range set.Tools() {
			w.tools[tl.Name] = tl
		}
	}
	for _, name := range []string{"DOCKER_HOST", "DOCKER_CERT_PATH"} {
		t.Setenv(name, "") // the client of an engine reads these variables
	}
	build(t, w.fixture)
	if _, err := exec.LookPath("git"); err != nil {
		w.lacks = "git is missing, so the workspace of the examples cannot be made; install the package git"
		return w
	}
	repository(t, filepath.Join(w.fixture, "repo"))
	return w
}

// play implements Play of a Generator.
func (w *world) play(ctx context.Context, d *tool.Definition) (Outcome, error) {
	w.Helper()
	tl, args, err := w.target(d)
	if err != nil {
		return Outcome{}, err
	}
	switch {
	case tl.Needs.Has(tool.NeedDesktop) && runtime.GOOS != "linux":
		return Outcome{Skipped: "without a session, desktops answer as the page says on Linux only"}, nil
	case inWorkspace(tl) && w.lacks != "":
		return Outcome{Skipped: w.lacks}, nil
	}
	if inv, err := tl.Bind(json.RawMessage(args)); err == nil && inv.Question != nil {
		// A person answers: the example shows the form.
		return Outcome{Value: json.RawMessage(`{"account":"work"}`)}, nil
	}
	w.plays++
	s := &stage{world: w, tenant: fmt.Sprintf("play%d", w.plays), data: w.TempDir()}
	res, err := s.run(ctx, tl, args)
	failure := tool.AsError(err)
	switch {
	case s.programs.missing != "": // without the program the tool may have answered differently
		return Outcome{Skipped: "the program " + s.programs.missing + " is missing; install its package"}, nil
	case failure == nil:
		return Outcome{Value: res.Value, Varies: s.programs.ran || d.Name == "system_info"}, nil
	case failure.Kind == tool.NotConfigured:
		value, err := json.Marshal(refusal{failure.Kind, failure.Msg})
		return Outcome{Value: value, Refused: true}, err
	case failure.Kind == tool.Unsupported:
		return Outcome{Skipped: failure.Msg}, nil
	default:
		return Outcome{}, failure
	}
}

// refusal returns an error as callers see it.
type refusal struct {
	Kind    tool.Kind `json:"error_type"`
	Message string    `json:"message"`
}

// target returns the call of an example: of the tool itself, or of the tool it
// delegates to.
func (w *world) target(d *tool.Definition) (*tool.Tool, string, error) {
	tl := w.tools[d.Name]
	if !tl.Delegates() {
		return tl, string(d.Example), nil
	}
	name, args, err := tl.Target(d.Example)
	if to := w.tools[name]; err == nil && to != nil {
		return to, string(args), nil
	}
	return nil, "", fmt.Errorf("it leads to %q, which is no tool: %w", name, err)
}

// stage is the environment of one example: a workspace, a tenant, and their data.
type stage struct {
	*world

	tenant   string
	data     string
	set      bool // the workspace exists
	programs watched
}

// space names the owner of the workspace, the same for every tenant: it is part of a
// path, which an answer could show.
const space = "default"

// place returns the path of the workspace in a data directory.
func place(data string) string { return filepath.Join(data, "workspaces", space, "_") }

func inWorkspace(tl *tool.Tool) bool {
	return tl.Needs.Has(tool.NeedFiles) || tl.Needs.Has(tool.NeedPrograms)
}

// run makes one call.
func (s *stage) run(ctx context.Context, tl *tool.Tool, args string) (tool.Result, error) {
	if inWorkspace(tl) && !s.set {
		if err := os.CopyFS(place(s.data), os.DirFS(s.fixture)); err != nil {
			return tool.Result{}, err
		}
		settle(s.T, place(s.data))
		s.set = true
	}
	return tooltest.Play(ctx, tl, s.equip(ctx, tl), args)
}
