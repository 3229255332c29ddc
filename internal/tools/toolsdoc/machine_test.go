package toolsdoc

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/ports/programs/programstest"
	"github.com/helve-dev/helve/tool"
)

// aboutPrograms lists tools that report the machine's programs, or need an optional
// one: their examples run on a machine with a fixed set of programs.
var aboutPrograms = []string{"install_cli_tool", "list_cli_tools", "list_coding_agents"}

// machine returns the programs for a tool.
func (s *stage) machine(name string) tool.Programs {
	s.Helper()
	options := programs.Options{Launcher: programstest.Launcher(s), Dir: s.workspace}
	if slices.Contains(aboutPrograms, name) {
		options.Path = s.TempDir()
	}
	port, err := programs.New(options).For(space, "")
	must(s, port, err)
	if options.Path != "" {
		return stocked{port}
	}
	s.programs.Programs = port
	return &s.programs
}

// watched records whether a call ran a program, and the programs that were missing.
type watched struct {
	tool.Programs

	mu      sync.Mutex
	ran     bool
	missing string
}

func (w *watched) Find(name string) (string, error) {
	file, err := w.Programs.Find(name)
	w.note(name, err)
	return file, err
}

func (w *watched) Run(ctx context.Context, p tool.Program) (tool.Ran, error) {
	ran, err := w.Programs.Run(ctx, p)
	w.mu.Lock()
	w.ran = true
	w.mu.Unlock()
	w.note(p.Name, err)
	return ran, err
}

func (w *watched) note(name string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if failure := tool.AsError(err); failure != nil && failure.Kind == tool.NotConfigured && !strings.Contains(w.missing, name) {
		w.missing = strings.TrimPrefix(w.missing+", "+name, ", ")
	}
}

// stocked is a machine with some programs, which only print their version; the port
// beneath, which has none, reports the others as missing.
type stocked struct{ tool.Programs }

// versions maps the programs of a stocked machine to their output.
var versions = map[string]string{
	"awk":    "GNU Awk 5.3.2, API 4.0",
	"claude": "2.1.4 (Claude Code)",
	"git":    "git version 2.47.3",
	"jq":     "jq-1.7.1",
}

func (s stocked) Find(name string) (string, error) {
	if _, ok := versions[name]; ok {
		return "/usr/bin/" + name, nil
	}
	return s.Programs.Find(name)
}

func (s stocked) Run(ctx context.Context, p tool.Program) (tool.Ran, error) {
	if said, ok := versions[p.Name]; ok {
		return tool.Ran{Stdout: []byte(said + "\n")}, nil
	}
	return s.Programs.Run(ctx, p)
}
