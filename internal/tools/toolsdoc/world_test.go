package toolsdoc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/backend/programs"
	"github.com/helve-dev/helve/internal/backend/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// ports is the call that examples are played with: the ports that documentation
// has, for a workspace in data. A tool that needs another one is shown without an
// answer; whoever has such a port to give adds it here. The clock stands still.
func ports(t *testing.T, data string) tool.Call {
	t.Helper()
	spaces, err := workspace.New(data)
	if err != nil {
		t.Fatal(err)
	}
	files, err := spaces.For(tenant, "")
	if err != nil {
		t.Fatal(err)
	}
	space := func(string, string) (string, error) { return place(data), nil }
	machine, err := programs.New(programs.Options{Dir: space}).For(tenant, "")
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call{Tenant: tenant, Files: files, Programs: machine}
}

const tenant = "default"

// place is where the workspace of the examples lies in a data directory.
func place(data string) string { return filepath.Join(data, "workspaces", tenant, "_") }

// ofTheMachine are tools whose answers depend on the machine, the moment or chance,
// although they run no program: two of their answers can be the same by accident.
var ofTheMachine = []string{"system_info", "file_info", "random_choice", "random_number"}

// world plays examples, each call in a copy of the fixture.
type world struct {
	*testing.T

	ports   func(t *testing.T, data string) tool.Call
	tools   map[string]*tool.Tool
	fixture string
	lacks   string // why there is no fixture
}

func newWorld(t *testing.T, sets []*tool.Set) *world {
	t.Helper()
	w := &world{T: t, ports: ports, tools: map[string]*tool.Tool{}, fixture: t.TempDir()}
	for _, set := range sets {
		for _, tl := range set.Tools() {
			w.tools[tl.Name] = tl
		}
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
	tl := w.tools[d.Name]
	data := w.TempDir()
	if tl.Needs.Has(tool.NeedFiles) || tl.Needs.Has(tool.NeedPrograms) {
		if w.lacks != "" {
			return Outcome{Skipped: w.lacks}, nil
		}
		if err := os.CopyFS(place(data), os.DirFS(w.fixture)); err != nil {
			return Outcome{}, err
		}
		settle(w.T, place(data))
	}
	call := w.ports(w.T, data)
	seen := &watched{Programs: call.Programs}
	if call.Programs != nil {
		call.Programs = seen
	}
	res, err := tooltest.Play(ctx, tl, call, string(d.Example))
	out := Outcome{Value: res.Value, Varies: tl.Needs.Has(tool.NeedPrograms) || slices.Contains(ofTheMachine, d.Name)}
	if port, ok := errors.AsType[tooltest.MissingPort](err); ok {
		return Outcome{Absent: port.Error()}, nil
	}
	failure := tool.AsError(err)
	switch {
	case seen.missing != "": // the tool may have done without, and answered otherwise
		return Outcome{Skipped: "the program " + seen.missing + " is missing; install its package"}, nil
	case failure == nil:
		return out, nil
	case failure.Kind == tool.NotConfigured:
		return Outcome{Absent: failure.Msg}, nil
	case failure.Kind == tool.Unsupported:
		return Outcome{Skipped: failure.Msg}, nil
	default:
		return Outcome{}, failure
	}
}

// watched notes which program a call looked for in vain.
type watched struct {
	tool.Programs

	missing string
}

func (w *watched) Find(name string) (string, error) {
	file, err := w.Programs.Find(name)
	w.note(name, err)
	return file, err
}

func (w *watched) Run(ctx context.Context, p tool.Program) (tool.Ran, error) {
	ran, err := w.Programs.Run(ctx, p)
	w.note(p.Name, err)
	return ran, err
}

func (w *watched) note(name string, err error) {
	if failure := tool.AsError(err); failure != nil && failure.Kind == tool.NotConfigured && !strings.Contains(w.missing, name) {
		w.missing = strings.TrimPrefix(w.missing+", "+name, ", ")
	}
}
