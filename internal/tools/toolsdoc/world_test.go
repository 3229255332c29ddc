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

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// world plays examples, each in a stage of its own. Its parts are those of a worker,
// where a machine can have them: what lies beyond a worker (the internet, the programs
// there are) is made up, and what has to be set up first is not there.
type world struct {
	*testing.T

	tools   map[string]*tool.Tool
	fixture string
	lacks   string // why there is no fixture
	http    edge
	bus     func() *bus.Bus
	plays   int
}

func newWorld(t *testing.T, sets []*tool.Set) *world {
	t.Helper()
	w := &world{T: t, tools: map[string]*tool.Tool{}, fixture: t.TempDir(), http: newEdge(t)}
	w.bus = sync.OnceValue(func() *bus.Bus { return bustest.Connect(t, bustest.Server(t)) })
	for _, set := range sets {
		for _, tl := range set.Tools() {
			w.tools[tl.Name] = tl
		}
	}
	for _, name := range []string{"DOCKER_HOST", "DOCKER_CERT_PATH"} {
		t.Setenv(name, "") // the client of an engine reads them
	}
	build(t, w.fixture)
	if _, err := exec.LookPath("git"); err != nil {
		w.lacks = "git is missing, so the workspace of the examples cannot be made; install the package git"
		return w
	}
	repository(t, filepath.Join(w.fixture, "repo"))
	return w
}

// play is the Play of a Generator.
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
	w.plays++
	s := &stage{world: w, tenant: fmt.Sprintf("play%d", w.plays), data: w.TempDir()}
	res, err := s.run(ctx, tl, args)
	failure := tool.AsError(err)
	switch {
	case s.programs.missing != "": // the tool may have done without, and answered otherwise
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

// refusal is an error as callers are told it.
type refusal struct {
	Kind    tool.Kind `json:"error_type"`
	Message string    `json:"message"`
}

// target is the call that an example is: of the tool itself, or of the one it leads to.
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

// stage is where one example is played: a workspace, a tenant, and what belongs to it.
type stage struct {
	*world

	tenant   string
	data     string
	set      bool // the workspace is there
	programs watched
}

// space is whose workspace it is, the same for every tenant: it is part of a path,
// which an answer could show.
const space = "default"

// place is where the workspace lies in a data directory.
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
