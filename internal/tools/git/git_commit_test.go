package git

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGitCommit(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.common("git_commit", `,"message":"m"`)
	p.repo("repo")
	p.put("repo/a.txt", "changed\n")
	made := func(author, subject, files string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			got := of[commitResult](t, res)
			head := p.git("repo", "rev-parse", "HEAD")
			said := p.git("repo", "log", "-1", "--format=%an <%ae> %cn %at|%B", "--name-only")
			if !got.Success || got.CommitHash != head || !strings.HasPrefix(said, author+"|"+subject) || !strings.HasSuffix(said, files) ||
				!strings.Contains(got.Output, "] ") || strings.Contains(got.Output, p.dir) {
				t.Errorf("commit = %s: %s", res.Value, said)
			}
		}
	}
	const us = "Helve <helve@localhost> Helve 1767355200"
	p.run("git_commit",
		tooltest.Case{Name: "nothing staged", Args: `{"path":"repo","message":"m"}`, Fails: tool.ExecutionError, Message: "git_add"},
		tooltest.Case{
			Name:  "all",
			Args:  `{"path":"repo/sub","message":"# not a comment\n\nbody -- $(id)\n","all":true}`,
			Check: made(us, "# not a comment\n\nbody -- $(id)\n", "a.txt"),
		},
		tooltest.Case{
			Name:    "nothing to commit",
			Args:    `{"path":"repo","message":"m","all":true}`,
			Fails:   tool.ExecutionError,
			Message: "no file has changed",
		},
		tooltest.Case{Name: "amend", Args: `{"path":"repo","message":"--amended","amend":true}`, Check: func(t *testing.T, res tool.Result) {
			made(us, "--amended\n", "a.txt")(t, res)
			if got := of[commitResult](t, res); !got.Amend || p.git("repo", "log", "-1", "--format=%s", got.Replaced) != "# not a comment" ||
				p.git("repo", "rev-list", "--count", "HEAD") != "2" {
				t.Errorf("commit = %s", res.Value)
			}
		}},
		tooltest.Case{Name: "no message", Args: `{"path":"repo"}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "empty message", Args: `{"path":"repo","message":" \n "}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "long message", Args: `{"path":"repo","message":"` + strings.Repeat("x", 70_000) + `"}`, Fails: tool.ValidationError},
	)
	p.git("repo", "config", "user.name", "Linus")
	p.git("repo", "config", "user.email", "linus@example.com")
	p.put("repo/a.txt", "again\n")
	p.run("git_commit", tooltest.Case{
		Name:  "as the repository says",
		Args:  `{"path":"repo","message":"m","all":true}`,
		Check: made("Linus <linus@example.com> Linus 1767355200", "m\n", "a.txt"),
	})
	p.git("repo", "config", "user.name", " <> ")
	p.put("repo/a.txt", "and again\n")
	p.run("git_commit", tooltest.Case{
		Name:  "no name",
		Args:  `{"path":"repo","message":"m","all":true}`,
		Check: made("Helve <linus@example.com> Helve 1767355200", "m\n", "a.txt"),
	})
}

func TestGitCommitAtOddTimes(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.empty("fresh")
	p.put("fresh/a", "x")
	p.git("fresh", "add", "a")
	p.repo("conflict")
	p.git("conflict", "checkout", "-qb", "topic")
	p.put("conflict/a.txt", "topic\n")
	p.git("conflict", "commit", "-qam", "topic")
	p.git("conflict", "checkout", "-q", "main")
	p.put("conflict/a.txt", "main\n")
	p.git("conflict", "commit", "-qam", "main")
	_, _ = p.tryGit("conflict", "merge", "topic")
	p.repo("locked")
	p.put("locked/.git/index.lock", "")
	p.put("locked/a.txt", "x")
	committed := func(t *testing.T, res tool.Result) {
		if got := of[commitResult](t, res); len(got.CommitHash) != 40 {
			t.Errorf("commit = %s", res.Value)
		}
	}
	p.run("git_commit",
		tooltest.Case{
			Name:    "amend nothing",
			Args:    `{"path":"fresh","message":"m","amend":true}`,
			Fails:   tool.ExecutionError,
			Message: "no commit yet",
		},
		tooltest.Case{Name: "the first", Args: `{"path":"fresh","message":"m"}`, Check: committed},
		tooltest.Case{Name: "conflict", Args: `{"path":"conflict","message":"m"}`, Fails: tool.ExecutionError, Message: "conflicts in a.txt"},
		tooltest.Case{Name: "locked", Args: `{"path":"locked","message":"m","all":true}`, Fails: tool.ExecutionError},
	)
	p.run("git_checkout", tooltest.Case{
		Name:    "conflict",
		Args:    `{"path":"conflict","target":"topic"}`,
		Fails:   tool.ExecutionError,
		Message: "conflicts in a.txt; edit them",
	})
	p.run("git_diff", tooltest.Case{Name: "conflict", Args: `{"path":"conflict"}`, Check: func(t *testing.T, res tool.Result) {
		if got := of[diffResult](t, res); got.Stats != (diffStats{1, 4, 0}) {
			t.Errorf("diff = %s", res.Value)
		}
	}})
	p.put("conflict/a.txt", "both\n")
	p.run("git_add", tooltest.Case{
		Name: "resolve",
		Args: `{"path":"conflict","files":["a.txt"]}`,
		Want: `{"success":true,"staged":["a.txt"],"currentStatus":["M  a.txt"],"total":1,"truncated":false}`,
	})
	p.run("git_commit", tooltest.Case{Name: "resolved", Args: `{"path":"conflict","message":"merged"}`, Check: committed})
	if parents := p.git("conflict", "log", "-1", "--format=%p"); len(strings.Fields(parents)) != 2 {
		t.Errorf("parents of the merge: %s", parents)
	}
}
