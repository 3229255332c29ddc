package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/ports/programs/programstest"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// place is a workspace on disk for the tests of a tool.
type place struct {
	t    *testing.T
	dir  string // of the workspace
	call tool.Call
}

// newPlace requires git, and runs it confined if the host supports that.
func newPlace(t *testing.T, o programs.Options) *place {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: there is no git; install the package git")
	}
	data := t.TempDir()
	spaces, err := workspace.New(data)
	if err != nil {
		t.Fatal(err)
	}
	files, err := spaces.For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(data, "workspaces", "acme", "u1")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	o.Dir, o.Launcher = func(string, string) (string, error) { return dir, nil }, programstest.Launcher(t)
	port := programs.New(o)
	if parts := port.Probe(t.Context()); !parts[0].OK {
		t.Log("NOT CONFINED HERE:", parts[0].Detail)
		o.Unconfined = true
		port = programs.New(o)
	}
	run, err := port.For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	return &place{t, dir, tool.Call{Files: files, Programs: run}}
}

// path returns the host's path of a file of the workspace.
func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

// put writes a file.
func (p *place) put(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// has reads a file.
func (p *place) has(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(p.path(name))
	if err != nil {
		return "error: " + err.Error()
	}
	return string(text)
}

// git runs git as a person would, in a directory of the workspace.
func (p *place) git(dir string, args ...string) string {
	p.t.Helper()
	out, err := p.tryGit(dir, args...)
	if err != nil {
		p.t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return out
}

func (p *place) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = p.path(dir)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC", "LC_ALL=C.UTF-8",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=2025-12-31T10:00:00Z",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_COMMITTER_DATE=2025-12-31T10:00:00Z",
	}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// repo creates a repository with one commit of a.txt and sub/b.txt on main.
func (p *place) repo(dir string) {
	p.t.Helper()
	p.empty(dir)
	p.put(dir+"/a.txt", "one\ntwo\n")
	p.put(dir+"/sub/b.txt", "b\n")
	p.git(dir, "add", "-A")
	p.git(dir, "commit", "-qm", "first\n\nwith a body")
}

// empty creates a repository without a commit.
func (p *place) empty(dir string) {
	p.t.Helper()
	if err := os.MkdirAll(p.path(dir), 0o755); err != nil {
		p.t.Fatal(err)
	}
	p.git(dir, "init", "-q", "-b", "main")
}

// run runs the cases.
func (p *place) run(name string, cases ...tooltest.Case) {
	p.t.Helper()
	tooltest.Run(p.t, Set, name, p.call, cases)
}

// common lists the failures of every tool of the package.
func (p *place) common(name, rest string) {
	p.t.Helper()
	p.put("plain/file.txt", "x")
	p.run(name,
		tooltest.Case{Name: "no repository", Args: `{"path":"plain"` + rest + `}`, Fails: tool.ExecutionError, Message: "Not a git repository"},
		tooltest.Case{Name: "not there", Args: `{"path":"none"` + rest + `}`, Fails: tool.FileNotFound},
		tooltest.Case{Name: "a file", Args: `{"path":"plain/file.txt"` + rest + `}`, Fails: tool.ValidationError, Message: "not a directory"},
		tooltest.Case{Name: "outside", Args: `{"path":"../x"` + rest + `}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "absolute", Args: `{"path":"/etc"` + rest + `}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "an option", Args: `{"path":"--help"` + rest + `}`, Fails: tool.FileNotFound},
		tooltest.Case{Name: "a wrong type", Args: `{"path":7` + rest + `}`, Fails: tool.ValidationError},
	)
	without := *p
	without.call.Programs = missing{}
	p.repo("whole")
	without.run(name, tooltest.Case{Name: "no git", Args: `{"path":"whole"` + rest + `}`, Fails: tool.NotConfigured})
}

// names returns the names of the entries of a directory.
func names(entries []os.DirEntry) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}
