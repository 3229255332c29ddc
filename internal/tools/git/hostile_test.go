package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// A repository cannot make git run a program. The tests run git unconfined, so that
// only these tools prevent it.

// trap returns a command that writes its name to a file, and a function that reads the
// file.
func trap(t *testing.T) (command func(name string) string, sprung func() string) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "trap")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$1\" >> "+dir+"/sprung\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return func(name string) string { return script + " " + name }, func() string {
		text, _ := os.ReadFile(dir + "/sprung")
		_ = os.Remove(dir + "/sprung")
		return string(text)
	}
}

// everything runs every operation of the tools on a repository and ignores the
// outcomes.
func (p *place) everything(dir string) {
	p.t.Helper()
	for i, c := range []struct{ name, args string }{
		{"git_status", ``},
		{"git_status", `,"short":true`},
		{"git_diff", ``},
		{"git_diff", `,"commit":"HEAD","stat":true`},
		{"git_diff", `,"commitRange":"HEAD~1..HEAD"`},
		{"git_log", `,"file":"a.txt"`},
		{"git_branch", `,"remote":true`},
		{"git_add", `,"files":["."],"all":true`},
		{"git_diff", `,"staged":true`},
		{"git_commit", `,"message":"m","all":true`},
		{"git_commit", `,"message":"m","amend":true`},
		{"git_branch", `,"action":"create","name":"made"`},
		{"git_branch", `,"action":"rename","name":"made","newName":"named"`},
		{"git_branch", `,"action":"delete","name":"named"`},
		{"git_checkout", `,"target":"topic"`},
		{"git_checkout", `,"target":"main"`},
		{"git_checkout", `,"target":"fresh","createBranch":true`},
		{"git_checkout", `,"target":"topic","file":"a.txt"`},
	} {
		p.run(c.name, tooltest.Case{
			Name:  fmt.Sprintf("call %d", i),
			Args:  `{"path":"` + dir + `"` + c.args + `}`,
			Check: func(*testing.T, tool.Result) {},
		})
	}
}

// hostile returns a repository with branches main and topic, changed files, and
// attributes that name drivers for every file.
func (p *place) hostile(dir string) {
	p.t.Helper()
	p.repo(dir)
	p.put(dir+"/.gitattributes", "* diff=evil filter=evil merge=evil\nb.txt filter=ev=il\n")
	p.git(dir, "add", "-A")
	p.git(dir, "commit", "-qm", "attributes")
	p.git(dir, "checkout", "-qb", "topic")
	p.put(dir+"/a.txt", "topic\n")
	p.git(dir, "commit", "-qam", "topic")
	p.git(dir, "checkout", "-q", "main")
	p.put(dir+"/a.txt", "changed\n")
	p.put(dir+"/sub/b.txt", "changed\n") // otherwise git runs its driver only if the file times are in doubt
}

func TestConfigurationRunsNothing(t *testing.T) {
	p := newPlace(t, programs.Options{Unconfined: true})
	evil, sprung := trap(t)
	p.hostile("repo")
	for _, hook := range []string{
		"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-rewrite", "reference-transaction",
		"post-index-change", "pre-auto-gc", "fsmonitor-watchman",
	} {
		for _, at := range []string{"repo/.git/hooks/", "repo/hooks/"} {
			p.put(at+hook, "#!/bin/sh\n"+evil(hook)+"\n")
			if err := os.Chmod(p.path(at+hook), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	keys := []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.gitProxy", "core.alternateRefsCommand",
		"sequence.editor",
		"pager.log", "pager.diff", "pager.status", "pager.branch", "alias.status", "alias.commit", "alias.rev-parse", "credential.helper",
		"interactive.diffFilter",
		"diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.ev=il.clean",
		"filter.ev=il.smudge", "merge.evil.driver",
		"future.program", "diff.evil.trustExitCode", "core.futureCommand", "log.futureFilter", "gpg.program", "gpg.ssh.program",
		"gpg.x509.program",
		"gpg.ssh.defaultKeyCommand", "gc.recentObjectsHook", "hook.evil.command", "trailer.evil.command", "submodule.x.update",
		"remote.origin.uploadpack", "remote.origin.receivepack", "remote.origin.vcs", "mergetool.evil.cmd", "difftool.evil.cmd",
		"uploadpack.packObjectsHook", "browser.evil.cmd",
	}
	for _, key := range keys {
		p.git("repo", "config", "--add", key, evil(key))
	}
	// Plain git runs the traps, otherwise the test proves nothing.
	for _, args := range [][]string{
		{"status"}, {"diff", "--no-ext-diff", "--textconv", "HEAD"}, {"diff"}, {"add", "."}, {"commit", "-m", "x"},
	} {
		_, _ = p.tryGit("repo", args...)
	}
	seen := sprung()
	for _, name := range []string{
		"core.fsmonitor", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.ev=il.clean", "pre-commit", "post-index-change",
	} {
		if !strings.Contains(seen, name+"\n") {
			t.Errorf("plain git does not run %s, only %q: the trap proves nothing", name, seen)
		}
	}
	for key, value := range map[string]string{
		"core.hooksPath": p.path("repo/hooks"), "commit.gpgSign": "true", "log.showSignature": "true", "filter.evil.required": "true",
		"gc.auto": "1", "gc.autoDetach": "false", "hook.evil.event": "pre-commit", "hook.evil.enabled": "true",
		"status.submoduleSummary": "true", "maintenance.auto": "true", "gpg.format": "ssh", "user.signingKey": "key",
		"diff.ignoreSubmodules": "none", "submodule.recurse": "true", "core.commentChar": "!", "core.attributesFile": "/etc/passwd",
		"commit.template": "/etc/passwd", "diff.orderFile": "/no/such",
	} {
		p.git("repo", "config", key, value)
	}
	p.everything("repo")
	if got := sprung(); got != "" {
		t.Errorf("these ran: %s", got)
	}
}

// Settings of an included file, or of a worktree's configuration, apply as well.
func TestOtherConfigurationRunsNothing(t *testing.T) {
	p := newPlace(t, programs.Options{Unconfined: true})
	evil, sprung := trap(t)
	p.hostile("repo")
	p.put("repo/evil.cfg", "[filter \"evil\"]\n\tclean = "+evil("included")+"\n[include]\n\tpath = deeper.cfg\n")
	p.put("repo/deeper.cfg", "[filter \"ev=il\"]\n\tprocess = "+evil("deeper")+"\n[core]\n\tfsmonitor = "+evil("monitor")+"\n")
	p.git("repo", "config", "include.path", "../evil.cfg")
	p.git("repo", "config", "extensions.worktreeConfig", "true")
	p.put("repo/.git/config.worktree", "[filter \"evil\"]\n\tsmudge = "+evil("worktree")+"\n")
	_, _ = p.tryGit("repo", "add", ".")
	if got := sprung(); !strings.Contains(got, "included") {
		t.Errorf("plain git runs only %q: the trap proves nothing", got)
	}
	p.everything("repo")
	if got := sprung(); got != "" {
		t.Errorf("these ran: %s", got)
	}
}

// Git looks into submodules by running itself there.
func TestSubmodulesRunNothing(t *testing.T) {
	p := newPlace(t, programs.Options{Unconfined: true})
	evil, sprung := trap(t)
	p.hostile("repo")
	p.repo("repo/module")
	p.put("repo/module/.gitattributes", "* filter=inner\n")
	p.put("repo/.gitmodules", "[submodule \"module\"]\n\tpath = module\n\turl = ./module\n\tignore = none\n")
	p.git("repo", "add", "-A")
	p.git("repo", "commit", "-qm", "module")
	for _, key := range []string{"filter.inner.clean", "filter.inner.process", "core.fsmonitor"} {
		p.git("repo/module", "config", key, evil(key))
	}
	p.put("repo/module/a.txt", "inner change\n")
	p.put("repo/a.txt", "outer change\n")
	p.git("repo", "config", "diff.submodule", "diff")
	p.git("repo", "config", "submodule.active", ".")
	_, _ = p.tryGit("repo", "status")
	if got := sprung(); got == "" {
		t.Error("plain git runs nothing: the trap proves nothing")
	}
	p.everything("repo")
	if got := sprung(); got != "" {
		t.Errorf("these ran: %s", got)
	}
}

// A repository may name another place for its objects, and a remote to fetch them from.
func TestNothingIsFetched(t *testing.T) {
	p := newPlace(t, programs.Options{Unconfined: true})
	evil, sprung := trap(t)
	p.repo("repo")
	blob := p.git("repo", "rev-parse", "HEAD:a.txt")
	if err := os.Remove(p.path("repo/.git/objects/" + blob[:2] + "/" + blob[2:])); err != nil {
		t.Fatal(err)
	}
	p.put("repo/a.txt", "changed\n")
	for key, value := range map[string]string{
		"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
		"remote.origin.url":  "ext::" + evil("ext"),
		"protocol.ext.allow": "always", "protocol.allow": "always",
	} {
		p.git("repo", "config", key, value)
	}
	_, _ = p.tryGit("repo", "diff")
	if got := sprung(); got == "" {
		t.Error("plain git fetches nothing: the trap proves nothing")
	}
	p.run("git_diff", tooltest.Case{Name: "diff", Args: `{"path":"repo"}`, Fails: tool.ExecutionError})
	p.git("repo", "config", "remote.origin.url", p.path("repo"))
	p.git("repo", "config", "remote.origin.uploadpack", evil("uploadpack"))
	p.run("git_diff", tooltest.Case{Name: "by a file", Args: `{"path":"repo"}`, Fails: tool.ExecutionError})
	// Git has removed the file when it finds that the new contents are missing.
	p.run("git_checkout", tooltest.Case{
		Name:    "file",
		Args:    `{"path":"repo","target":"HEAD","file":"a.txt"}`,
		Fails:   tool.ExecutionError,
		Message: "What was there before is in commit ",
	})
	saved := p.git("repo", "for-each-ref", "--format=%(objectname)", "refs/helve/saved")
	p.run("git_checkout", tooltest.Case{
		Name:  "back",
		Args:  `{"path":"repo","target":"` + saved + `","file":"a.txt"}`,
		Check: func(*testing.T, tool.Result) {},
	})
	if got := sprung(); got != "" {
		t.Errorf("these ran: %s", got)
	}
	if got := p.has("repo/a.txt"); got != "changed\n" {
		t.Errorf("a.txt holds %q", got)
	}
}

// A repository whose configuration places its data or files elsewhere cannot escape.
func TestRepositoriesStayInTheWorkspace(t *testing.T) {
	p := newPlace(t, programs.Options{Unconfined: true})
	outside := t.TempDir()
	away := &place{t, outside, tool.Call{}}
	away.repo("other")
	away.put("files/secret.txt", "secret")
	p.put("link/.git", "gitdir: "+outside+"/other/.git\n")
	p.put("up/.git", "gitdir: "+strings.Repeat("../", 30)+outside+"/other/.git\n")
	if err := os.Symlink(outside+"/other/.git", p.path("up/.git2")); err != nil {
		t.Fatal(err)
	}
	p.repo("moved")
	p.git("moved", "config", "core.worktree", outside+"/files")
	p.repo("borrows")
	p.put("borrows/.git/objects/info/alternates", outside+"/other/.git/objects\n")
	p.repo("indirect")
	p.put("indirect/.git/objects/info/alternates", "../../../borrows/.git/objects\n")
	p.repo("quoted")
	p.put("quoted/.git/objects/info/alternates", "\"\\057etc\"\n")
	p.repo("objects")
	if err := os.Rename(p.path("objects/.git/objects"), outside+"/objects"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside+"/objects", p.path("objects/.git/objects")); err != nil {
		t.Fatal(err)
	}
	p.repo("fine")
	p.put("fine/.git/objects/info/alternates", "# from another\n../../../real/.git/objects\n"+p.path("fine/.git/objects")+"\n")
	p.repo("common")
	p.put("common/.git/commondir", outside+"/other/.git\n")
	p.repo("linked")
	if err := os.Rename(p.path("linked/.git"), p.path("linked/git")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside+"/other/.git", p.path("linked/.git")); err != nil {
		t.Fatal(err)
	}
	p.repo("real")
	if err := os.Symlink("real", p.path("alias")); err != nil {
		t.Fatal(err)
	}
	p.run("git_status",
		tooltest.Case{Name: "gitdir", Args: `{"path":"link"}`, Fails: tool.PathNotAllowed, Message: "outside the workspace"},
		tooltest.Case{Name: "relative gitdir", Args: `{"path":"up"}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "common directory", Args: `{"path":"common"}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "borrowed objects", Args: `{"path":"borrows"}`, Fails: tool.PathNotAllowed, Message: "borrows"},
		tooltest.Case{Name: "borrowed indirectly", Args: `{"path":"indirect"}`, Fails: tool.PathNotAllowed, Message: "borrows"},
		tooltest.Case{Name: "borrowed in quotes", Args: `{"path":"quoted"}`, Fails: tool.PathNotAllowed, Message: "borrows"},
		tooltest.Case{Name: "linked objects", Args: `{"path":"objects"}`, Fails: tool.PathNotAllowed, Message: "borrows"},
		tooltest.Case{Name: "borrowed within", Args: `{"path":"fine"}`, Check: func(*testing.T, tool.Result) {}},
		tooltest.Case{Name: "a link out", Args: `{"path":"linked"}`, Fails: tool.ExecutionError, Message: "Not a git repository"},
		tooltest.Case{Name: "other files", Args: `{"path":"moved"}`, Check: func(t *testing.T, res tool.Result) {
			if got := of[statusResult](t, res); !got.Parsed.Clean || strings.Contains(string(res.Value), "secret") {
				t.Errorf("status = %s", res.Value)
			}
		}},
		tooltest.Case{Name: "a link within", Args: `{"path":"alias/sub"}`, Check: func(t *testing.T, res tool.Result) {
			if got := of[statusResult](t, res); !got.Parsed.Clean || got.Repository != "alias" {
				t.Errorf("status = %s", res.Value)
			}
		}},
	)
}

// The same, with a foreign repository above the workspace.
func TestNoRepositoryAboveTheWorkspace(t *testing.T) {
	p := newPlace(t, programs.Options{})
	above := &place{t, filepath.Dir(p.dir), tool.Call{}}
	above.repo("")
	p.put("dir/file", "x")
	p.run("git_status", tooltest.Case{Name: "above", Args: `{"path":"dir"}`, Fails: tool.ExecutionError, Message: "Not a git repository"})
	p.run("git_status", tooltest.Case{Name: "top", Args: `{}`, Fails: tool.ExecutionError, Message: "Not a git repository"})
}

// A repository with another owner can be read: its configuration is overridden anyway.
func TestOwnedByAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root gives files away")
	}
	p := newPlace(t, programs.Options{})
	p.repo("repo")
	err := filepath.WalkDir(p.path("repo"), func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, 12345, 12345)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p.run("git_log", tooltest.Case{Name: "log", Args: `{"path":"repo"}`, Check: func(t *testing.T, res tool.Result) {
		if got := of[logResult](t, res); got.Count != 1 {
			t.Errorf("log = %s", res.Value)
		}
	}})
}
