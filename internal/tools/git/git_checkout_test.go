package git

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGitCheckout(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.common("git_checkout", `,"target":"main"`)
	p.repo("repo")
	p.git("repo", "checkout", "-qb", "topic")
	p.put("repo/a.txt", "topic\n")
	p.put("repo/ignored.txt", "tracked on topic\n")
	p.git("repo", "add", "-A")
	p.git("repo", "commit", "-qm", "topic")
	p.git("repo", "checkout", "-q", "main")
	p.git("repo", "tag", "v1")
	p.git("", "clone", "-q", "repo", "clone")
	p.empty("fresh")
	on := func(repo, branch string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			got := of[checkoutResult](t, res)
			at, _ := p.tryGit(repo, "symbolic-ref", "--short", "-q", "HEAD")
			if !got.Success || at != branch || got.Output == "" || got.Saved != "" || strings.Contains(got.Output, p.dir) {
				t.Errorf("checkout = %s, on %q, want %q", res.Value, at, branch)
			}
		}
	}
	p.run("git_checkout",
		tooltest.Case{
			Name: "branch", Args: `{"path":"repo","target":"topic"}`,
			Want: `{"success":true,"output":"Switched to branch 'topic'","target":"topic","newBranch":false}`, Check: on("repo", "topic"),
		},
		tooltest.Case{Name: "the one before", Args: `{"path":"repo","target":"-"}`, Check: on("repo", "main")},
		tooltest.Case{Name: "tag", Args: `{"path":"repo","target":"v1"}`, Check: on("repo", "")},
		tooltest.Case{Name: "commit", Args: `{"path":"repo","target":"topic~1"}`, Check: on("repo", "")},
		tooltest.Case{
			Name: "create", Args: `{"path":"repo/sub","target":"new","createBranch":true}`,
			Want: `{"success":true,"output":"Switched to a new branch 'new'","target":"new","newBranch":true}`, Check: on("repo", "new"),
		},
		tooltest.Case{
			Name: "create again", Args: `{"path":"repo","target":"new","createBranch":true}`, Fails: tool.ExecutionError, Message: "already exists",
		},
		tooltest.Case{Name: "create in nothing", Args: `{"path":"fresh","target":"trunk","createBranch":true}`, Check: on("fresh", "trunk")},
		tooltest.Case{Name: "of a remote", Args: `{"path":"clone","target":"topic"}`, Check: on("clone", "topic")},
		tooltest.Case{Name: "HEAD stays on the branch", Args: `{"path":"repo","target":"HEAD"}`, Check: on("repo", "new")},
		tooltest.Case{Name: "@ stays on the branch", Args: `{"path":"repo","target":"@"}`, Check: on("repo", "new")},
		tooltest.Case{Name: "HEAD^0 stays on the branch", Args: `{"path":"repo","target":"HEAD^0"}`, Check: on("repo", "new")},
		tooltest.Case{Name: "HEAD of no commit", Args: `{"path":"fresh","target":"HEAD"}`, Check: on("fresh", "trunk")},
		tooltest.Case{Name: "a branch by its full name", Args: `{"path":"repo","target":"refs/heads/topic"}`, Check: on("repo", "topic")},
		tooltest.Case{Name: "a branch by its longer name", Args: `{"path":"repo","target":"heads/new"}`, Check: on("repo", "new")},
		tooltest.Case{Name: "the one before, as git writes it", Args: `{"path":"repo","target":"@{-1}"}`, Check: on("repo", "topic")},
		tooltest.Case{Name: "back again", Args: `{"path":"repo","target":"new"}`, Check: on("repo", "new")},
		tooltest.Case{Name: "unknown", Args: `{"path":"repo","target":"none"}`, Fails: tool.ValidationError, Message: "createBranch"},
		tooltest.Case{
			Name: "a file for a branch", Args: `{"path":"repo","target":"a.txt"}`, Fails: tool.ValidationError, Message: "give it as file",
		},
		tooltest.Case{Name: "no target", Args: `{"path":"repo"}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "empty target", Args: `{"path":"repo","target":""}`, Fails: tool.ValidationError},
		tooltest.Case{
			Name: "file and branch", Args: `{"path":"repo","target":"x","file":"a.txt","createBranch":true}`, Fails: tool.ValidationError,
		},
		tooltest.Case{Name: "an option", Args: `{"path":"repo","target":"--orphan=x"}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "an option as a branch", Args: `{"path":"repo","target":"-f","createBranch":true}`, Fails: tool.ValidationError},
	)
	if got := p.git("clone", "rev-parse", "--abbrev-ref", "topic@{upstream}"); got != "origin/topic" {
		t.Errorf("the branch of a remote follows %q", got)
	}
	at, _ := p.tryGit("repo", "symbolic-ref", "--short", "-q", "HEAD")
	p.git("repo", "tag", "a.txt")
	p.run("git_checkout",
		tooltest.Case{
			Name: "a file that is a tag too", Args: `{"path":"repo","target":"a.txt"}`, Fails: tool.ValidationError, Message: "give it as file",
		},
		tooltest.Case{
			Name: "its file", Args: `{"path":"repo","target":"a.txt","file":"a.txt"}`,
			Want: `{"success":true,"output":"Restored a.txt from a.txt","target":"a.txt","newBranch":false}`,
		},
	)
	if still, _ := p.tryGit("repo", "symbolic-ref", "--short", "-q", "HEAD"); still != at || at == "" {
		t.Errorf("HEAD was on %q and is on %q", at, still)
	}
	p.git("repo", "tag", "-d", "a.txt")
	p.put("repo/a.txt", "mine\n")
	p.run("git_checkout", tooltest.Case{
		Name: "changes in the way", Args: `{"path":"repo","target":"topic"}`, Fails: tool.ExecutionError,
		Message: "What no commit holds of a.txt would be lost; keep it with git_add",
	})
	p.git("repo", "checkout", "-q", "a.txt")
	p.put("repo/.git/info/exclude", "ignored.txt\n")
	p.put("repo/ignored.txt", "mine\n")
	p.run("git_checkout", tooltest.Case{
		Name: "an ignored file in the way", Args: `{"path":"repo","target":"topic"}`, Fails: tool.ExecutionError, Message: "ignored.txt",
	})
	if got := p.has("repo/ignored.txt"); got != "mine\n" {
		t.Errorf("the ignored file holds %q", got)
	}
}

// Restoring a file loses nothing, whatever it contained.
func TestGitCheckoutOfAFile(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.repo("repo")
	p.git("repo", "checkout", "-qb", "topic")
	p.put("repo/a.txt", "topic\n")
	p.put("repo/extra.txt", "extra\n")
	p.git("repo", "add", "-A")
	p.git("repo", "commit", "-qm", "topic")
	p.git("repo", "checkout", "-q", "main")
	restore := func(args string, savedFile, holds string) string {
		var saved string
		p.run("git_checkout", tooltest.Case{Name: args, Args: args, Check: func(t *testing.T, res tool.Result) {
			got := of[checkoutResult](t, res)
			saved = got.Saved
			if (saved != "") != (savedFile != "") {
				t.Fatalf("checkout = %s", res.Value)
			}
			if savedFile != "" {
				if text := p.git("repo", "show", saved+":"+savedFile); text != holds || !strings.Contains(got.Output, saved) {
					t.Errorf("saved %q, want %q: %s", text, holds, res.Value)
				}
			}
		}})
		return saved
	}
	restore(`{"path":"repo","target":"topic","file":"a.txt"}`, "", "")
	if got := p.has("repo/a.txt"); got != "topic\n" {
		t.Errorf("a.txt holds %q", got)
	}
	p.put("repo/a.txt", "mine\n") // topic's is staged
	index := p.git("repo", "ls-files", "-s", "sub")
	saved := restore(`{"path":"repo/sub","target":"HEAD","file":"../a.txt"}`, "a.txt", "mine")
	if got := p.has("repo/a.txt"); got != "one\ntwo\n" || p.git("repo", "show", saved+"^:a.txt") != "topic" {
		t.Errorf("a.txt holds %q, and its staged state is lost", got)
	}
	restore(`{"path":"repo","target":"`+saved+`","file":"a.txt"}`, "", "")
	if got := p.has("repo/a.txt"); got != "mine\n" {
		t.Errorf("a.txt holds %q, want what was saved", got)
	}
	p.put("repo/extra.txt", "not tracked\n")
	restore(`{"path":"repo","target":"topic","file":"extra.txt"}`, "extra.txt", "not tracked")
	p.put("repo/.git/info/exclude", "sub/ign\n")
	p.put("repo/sub/ign", "ignored\n")
	p.put("repo/sub/b.txt", "changed\n")
	restore(`{"path":"repo","target":"HEAD","file":"sub"}`, "sub/b.txt", "changed")
	if got := p.git("repo", "ls-files", "-s", "sub"); got != index {
		t.Errorf("the index is %s, was %s", got, index)
	}
	if left := p.git("repo", "fsck", "--no-dangling"); left != "" {
		t.Errorf("fsck: %s", left)
	}
	if left, _ := p.call.Files.ReadDir("repo/.git"); strings.Contains(names(left), "helve-index") {
		t.Errorf("in .git: %s", names(left))
	}
	p.run("git_checkout",
		tooltest.Case{Name: "not in the target", Args: `{"path":"repo","target":"HEAD","file":"none"}`, Fails: tool.FileNotFound},
		tooltest.Case{Name: "outside", Args: `{"path":"repo","target":"HEAD","file":"../x"}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "unknown target", Args: `{"path":"repo","target":"none","file":"a.txt"}`, Fails: tool.ValidationError},
	)
}

func TestGitCheckoutOfAFileInConflict(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.repo("repo")
	p.git("repo", "checkout", "-qb", "topic")
	p.put("repo/a.txt", "topic\n")
	p.git("repo", "commit", "-qam", "topic")
	p.git("repo", "checkout", "-q", "main")
	p.put("repo/a.txt", "main\n")
	p.git("repo", "commit", "-qam", "main")
	_, _ = p.tryGit("repo", "merge", "topic")
	p.run("git_checkout",
		tooltest.Case{Name: "theirs", Args: `{"path":"repo","target":"topic","file":"a.txt"}`, Check: func(t *testing.T, res tool.Result) {
			got := of[checkoutResult](t, res)
			if p.has("repo/a.txt") != "topic\n" || !strings.Contains(p.git("repo", "show", got.Saved+":a.txt"), "<<<<<<<") {
				t.Errorf("checkout = %s", res.Value)
			}
		}})
}
