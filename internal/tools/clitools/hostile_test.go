package clitools

import (
	"archive/tar"
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/ports/programs/programstest"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
)

// hostile is a workspace that a model has filled: each file in it that some program could
// run leaves a mark. Programs run unconfined, so that only their arguments and settings
// protect the workspace and the host.
type hostile struct {
	*world

	marks string
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	data := t.TempDir()
	w := &world{t: t, dir: filepath.Join(data, "workspaces", "acme", "u1")}
	spaces, err := workspace.New(data)
	if err != nil {
		t.Fatal(err)
	}
	if w.call.Files, err = spaces.For("acme", "u1"); err != nil {
		t.Fatal(err)
	}
	port := programs.New(programs.Options{
		Launcher: programstest.Launcher(t), Dir: spaces.Dir, Installed: spaces.Installed, Writable: spaces.Root(), Unconfined: true,
		// A careless operator has the workspace on the PATH.
		Path: strings.Join([]string{w.dir, ".", w.dir + "/bin", w.dir + "/node_modules/.bin", "/usr/local/bin", "/usr/bin", "/bin"}, ":"),
	})
	if w.call.Programs, err = port.For("acme", "u1"); err != nil {
		t.Fatal(err)
	}
	w.call.Tenant, w.call.User, w.call.Secrets = "acme", "u1", secrets(t, "")
	h := &hostile{w, filepath.Join(t.TempDir(), "marks")}
	h.fill()
	return h
}

// trap returns a command that leaves a mark.
func (h *hostile) trap(name string) string { return "echo " + name + " >>" + h.marks }

// sprung returns the marks.
func (h *hostile) sprung() string {
	text, _ := os.ReadFile(h.marks)
	return string(text)
}

func (h *hostile) fill() {
	h.t.Helper()
	h.file("a.txt", "one two\n")
	h.file("b.txt", "o\n")
	h.file("a.json", `{"key":1}`)
	h.file("b.sh", "#!/bin/sh\necho ok\n")
	h.file("b.py", "x = 1\n")
	h.file("b.ts", "export {};\n")
	h.archives()
	for _, dir := range []string{"", "bin/", "node_modules/.bin/", ".helve/cli/prettier/bin/", ".helve/cli/tsc/bin/"} {
		for _, name := range []string{
			"git", "sh", "cat", "ln", "mkdir", "less", "pager", "gzip", "xz", "pr", "ls", "diff", "grep", "rg", "sort", "jq", "tsc",
			"prettier", "node",
		} {
			h.program(dir+name, h.trap(dir+name))
		}
	}
	for _, name := range []string{".ripgreprc", ".shellcheckrc", ".tarrc", ".ziprc", ".jq", ".npmrc", ".inputrc"} {
		h.file(name, "--pre=./bin/sh\n")
	}
}

func (h *hostile) program(name, text string) {
	h.t.Helper()
	h.file(name, "#!/bin/sh\n"+text+"\n")
	if err := os.Chmod(filepath.Join(h.dir, name), 0o700); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hostile) archives() {
	h.t.Helper()
	for _, name := range []string{"a.tar", "a.zip"} {
		f, err := os.Create(filepath.Join(h.dir, name))
		if err != nil {
			h.t.Fatal(err)
		}
		if name == "a.tar" {
			w := tar.NewWriter(f)
			err = w.WriteHeader(&tar.Header{Name: "a.txt", Mode: 0o644, Size: 2})
			_, _ = w.Write([]byte("x\n"))
			_ = w.Close()
		} else {
			w := zip.NewWriter(f)
			_, err = w.Create("a.txt")
			_ = w.Close()
		}
		if err != nil {
			h.t.Fatal(err)
		}
		f.Close()
	}
}

// git runs git as a person would.
func (h *hostile) git(args ...string) {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), "/usr/bin/git", args...)
	cmd.Dir = h.dir
	cmd.Env = []string{
		"PATH=/usr/bin:/bin", "HOME=" + h.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Logf("git %q: %v\n%s", args, err, out)
	}
}

// repository makes the workspace a repository whose configuration, hooks and attributes
// are traps.
func (h *hostile) repository() {
	h.t.Helper()
	h.git("init", "-qb", "main")
	h.git("add", "a.txt", "b.txt")
	h.git("commit", "-qm", "first")
	h.git("commit", "-q", "--allow-empty", "-m", "second")
	h.git("tag", "v1")
	h.file(".gitattributes", "* diff=evil filter=evil merge=evil\n")
	h.file(".git/info/attributes", "* diff=evil filter=evil\n")
	h.file("a.txt", "one changed\n")
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "pre-commit", "commit-msg", "reference-transaction"} {
		h.program(".git/hooks/"+hook, h.trap(hook))
	}
	config, err := os.OpenFile(filepath.Join(h.dir, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	defer config.Close()
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
		"pager.log", "pager.status", "pager.diff", "pager.show", "pager.blame", "pager.grep",
		"alias.status", "alias.x", "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge",
		"filter.evil.process", "merge.evil.driver",
		"gpg.program", "gpg.ssh.program", "credential.helper", "remote.origin.uploadpack", "remote.origin.url", "uploadpack.packObjectsHook",
		"trailer.evil.command", "sequence.editor", "future.command",
	} {
		dot := strings.LastIndexByte(key, '.')
		section, sub, _ := strings.Cut(key[:dot], ".")
		if sub != "" {
			section += ` "` + sub + `"`
		}
		fmt.Fprintf(config, "[%s]\n\t%s = \"%s; false\"\n", section, key[dot+1:], h.trap(key))
	}
	fmt.Fprintf(config, "[log]\n\tshowSignature = true\n[include]\n\tpath = ../evil.cfg\n[extensions]\n\tworktreeConfig = true\n")
	h.file("evil.cfg", "[core]\n\tfsmonitor = \""+h.trap("included")+"\"\n")
	h.file(".git/config.worktree", "[core]\n\tfsmonitor = \""+h.trap("worktree")+"\"\n")
}

// state returns a sum of all names and contents of the workspace.
func (h *hostile) state() string {
	h.t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		fmt.Fprintln(sum, path, d.Type())
		if err == nil && d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			fmt.Fprintf(sum, "%d %s\n", len(text), text)
			return err
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// TestUnaskedRunsNothingElse runs every argument list that needs no consent with the real
// program, where the machine has it, in a workspace full of traps.
func TestUnaskedRunsNothingElse(t *testing.T) {
	h := newHostile(t)
	h.repository()
	h.git("status") // plain git runs a trap, otherwise the test proves nothing
	if h.sprung() == "" {
		t.Error("plain git runs no trap")
	}
	if err := os.Remove(h.marks); err != nil {
		t.Fatal(err)
	}
	before, ran := h.state(), 0
	for _, words := range lists(t, "unasked.txt") {
		if words[0] == "pdftotext" || words[0] == "qpdf" || words[0] == "ffprobe" {
			continue // their files are not here; what they read is up to them
		}
		if _, err := h.call.Programs.Find(words[0]); err != nil {
			continue
		}
		ran++
		res, err := runCLITool(t.Context(), &h.call, runArgs{Name: words[0], Args: words[1:]})
		switch {
		case err != nil:
			t.Errorf("%q: %v", words, err)
		case res.ExitCode != 0 && words[0] != "yq": // of which there are two
			t.Errorf("%q ended with %d: %s%s", words, res.ExitCode, res.Stdout, res.Stderr)
		}
		if marks := h.sprung(); marks != "" {
			t.Fatalf("%q ran %s", words, marks)
		}
	}
	if ran < 40 {
		t.Errorf("only %d lists ran", ran)
	}
	if h.state() != before {
		t.Error("the workspace has changed")
	}
}

// TestAgreedGitRunsNoSettings: who agrees to git with some arguments does not agree to the
// programs of the repository's settings, nor to its hooks.
func TestAgreedGitRunsNoSettings(t *testing.T) {
	h := newHostile(t)
	h.repository()
	_ = os.Remove(h.marks)
	commit := runArgs{Name: "git", Args: []string{"commit", "-qam", "x"}}
	if _, err := runCLITool(t.Context(), &h.call, commit); err == nil || tool.AsError(err).Kind != tool.PolicyDenied ||
		!strings.Contains(err.Error(), "core.pager") {
		t.Errorf("commit with hostile settings: %v, want policy_denied with their names", err)
	}
	h.file(".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[user]\n\tname = Ada\n\temail = a@example.com\n")
	if res, err := runCLITool(t.Context(), &h.call, commit); err != nil || res.ExitCode != 0 {
		t.Errorf("commit without them: %+v, %v", res, err)
	}
	if marks := h.sprung(); marks != "" {
		t.Errorf("these ran: %s", marks)
	}
}
