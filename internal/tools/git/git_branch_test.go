package git

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGitBranch(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.common("git_branch", "")
	p.repo("repo")
	head := p.git("repo", "rev-parse", "HEAD")
	p.git("repo", "checkout", "-qb", "ahead")
	p.git("repo", "commit", "-q", "--allow-empty", "-m", "more")
	p.git("repo", "checkout", "-q", "main")
	p.empty("fresh")
	p.git("", "clone", "-q", "repo", "clone")
	p.repo("detached")
	p.git("detached", "checkout", "-q", "--detach")
	p.git("", "clone", "-q", "repo", "renamed")
	p.git("renamed", "pack-refs", "--all")
	p.run("git_branch", tooltest.Case{
		Name: "rename what is checked out", Args: `{"path":"renamed","action":"rename","newName":"trunk"}`,
		Want: `{"success":true,"renamed":{"from":"main","to":"trunk"}}`,
	})
	if got := p.git("renamed", "rev-parse", "--symbolic-full-name", "HEAD",
		"@{upstream}"); got != "refs/heads/trunk\nrefs/remotes/origin/main" {
		t.Errorf("HEAD of the renamed branch, and what it follows: %s", got)
	}
	p.run("git_branch",
		tooltest.Case{
			Name: "list",
			Args: `{"path":"repo"}`,
			Want: `{"branches":[{"name":"ahead","current":false},{"name":"main","current":true}],"count":2,"total":2,"truncated":false,"current":"main","success":true}`,
		},
		tooltest.Case{
			Name: "no commit", Args: `{"path":"fresh","action":"list"}`,
			Want: `{"branches":[],"count":0,"total":0,"truncated":false,"current":"main","success":true}`,
		},
		tooltest.Case{
			Name: "detached", Args: `{"path":"detached"}`,
			Want: `{"branches":[{"name":"main","current":false}],"count":1,"total":1,"truncated":false,"success":true}`,
		},
		tooltest.Case{
			Name: "remote", Args: `{"path":"clone","remote":true}`,
			Want: `{"branches":[{"name":"main","current":true},{"name":"origin/ahead","current":false,"remote":true},{"name":"origin/main","current":false,"remote":true}],"count":3,"total":3,"truncated":false,"current":"main","success":true}`,
		},
		tooltest.Case{
			Name: "create", Args: `{"path":"repo","action":"create","name":"feature/ünï"}`,
			Want: `{"success":true,"created":"feature/ünï","hash":"` + head + `"}`,
		},
		tooltest.Case{
			Name: "a name alone", Args: `{"path":"repo","name":"alone"}`, Want: `{"success":true,"created":"alone","hash":"` + head + `"}`,
		},
		tooltest.Case{
			Name: "a name alone, gone again", Args: `{"path":"repo","action":"delete","name":"alone"}`,
			Want: `{"success":true,"deleted":"alone","hash":"` + head + `"}`,
		},
		tooltest.Case{
			Name: "names without an action", Args: `{"path":"repo","name":"ahead","newName":"x"}`, Fails: tool.ValidationError,
			Message: "set action to rename",
		},
		tooltest.Case{
			Name: "create again", Args: `{"path":"repo","action":"create","name":"feature/ünï"}`, Fails: tool.ExecutionError,
			Message: "already exists",
		},
		tooltest.Case{
			Name: "create in nothing", Args: `{"path":"fresh","action":"create","name":"x"}`, Fails: tool.ExecutionError, Message: "no commit yet",
		},
		tooltest.Case{
			Name: "rename", Args: `{"path":"repo","action":"rename","name":"feature/ünï","newName":"other"}`,
			Want: `{"success":true,"renamed":{"from":"feature/ünï","to":"other"}}`,
		},
		tooltest.Case{
			Name: "rename over", Args: `{"path":"repo","action":"rename","name":"other","newName":"main"}`, Fails: tool.ExecutionError,
			Message: "already exists",
		},
		tooltest.Case{
			Name: "rename to nothing", Args: `{"path":"repo","action":"rename","name":"other"}`, Fails: tool.ValidationError, Message: "newName",
		},
		tooltest.Case{
			Name: "rename what is not there", Args: `{"path":"repo","action":"rename","name":"none","newName":"x"}`, Fails: tool.ExecutionError,
			Message: "no branch none",
		},
		tooltest.Case{
			Name: "rename the current one", Args: `{"path":"fresh","action":"rename","newName":"trunk"}`,
			Want: `{"success":true,"renamed":{"from":"main","to":"trunk"}}`,
		},
		tooltest.Case{
			Name: "rename what is checked out, but nothing is", Args: `{"path":"detached","action":"rename","newName":"x"}`,
			Fails: tool.ValidationError, Message: "in name",
		},
		tooltest.Case{
			Name: "delete", Args: `{"path":"repo","action":"delete","name":"other"}`,
			Want: `{"success":true,"deleted":"other","hash":"` + head + `"}`,
		},
		tooltest.Case{
			Name: "delete again", Args: `{"path":"repo","action":"delete","name":"other"}`, Fails: tool.ExecutionError, Message: "no branch other",
		},
		tooltest.Case{
			Name: "delete what would be lost", Args: `{"path":"repo","action":"delete","name":"ahead"}`, Fails: tool.ExecutionError,
			Message: "lose them",
		},
		tooltest.Case{
			Name: "delete the current one", Args: `{"path":"repo","action":"delete","name":"main"}`, Fails: tool.ExecutionError,
			Message: "git_checkout",
		},
		tooltest.Case{Name: "no name", Args: `{"path":"repo","action":"create"}`, Fails: tool.ValidationError, Message: "missing"},
		tooltest.Case{Name: "no such action", Args: `{"path":"repo","action":"merge"}`, Fails: tool.ValidationError},
	)
	for i, name := range []string{
		"-d", "--upload-pack=x", "-D", "a..b", "a b", "x~1", "HEAD", "@{-1}", "a.lock", "/a", "a/", "a\\nb", "a\\u0000b", "refs/../x", "*",
	} {
		args := []string{
			`"action":"create","name":"` + name + `"`, `"action":"delete","name":"` + name + `"`,
			`"action":"rename","name":"ahead","newName":"` + name + `"`,
		}[i%3]
		p.run("git_branch", tooltest.Case{
			Name: args, Args: `{"path":"repo",` + args + `}`, Fails: tool.ValidationError, Message: "Not a valid name",
		})
	}
	if got := p.git("repo", "branch", "--format=%(refname)"); got != "refs/heads/ahead\nrefs/heads/main" {
		t.Errorf("branches at the end: %s", got)
	}
}

func TestGitBranchReads(t *testing.T) {
	for action, reads := range map[string]bool{"": true, "list": true, "create": false, "delete": false, "rename": false} {
		if got := (branchArgs{Action: action}).lists(); got != reads {
			t.Errorf("%q lists: %v", action, got)
		}
	}
	if (branchArgs{Name: "x"}).lists() {
		t.Error("a name alone lists")
	}
}

// TestGitBranchCut: a long list is cut, and the note has the numbers.
func TestGitBranchCut(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.repo("repo")
	head := p.git("repo", "rev-parse", "HEAD")
	var refs strings.Builder
	for i := range maxListed + 5 {
		fmt.Fprintf(&refs, "%s refs/heads/b%05d\n", head, i)
	}
	p.put("repo/.git/packed-refs", refs.String())
	p.run("git_branch", tooltest.Case{Name: "many", Args: `{"path":"repo"}`, Check: func(t *testing.T, res tool.Result) {
		got := of[branchResult](t, res)
		if want := fmt.Sprintf("showing %d of %d branches", maxListed, maxListed+6); *got.Count != maxListed || !*got.Truncated ||
			len(res.Notes) != 1 || !strings.Contains(res.Notes[0], want) {
			t.Errorf("%d of %d, notes %q, want %q", *got.Count, *got.Total, res.Notes, want)
		}
	}})
}
