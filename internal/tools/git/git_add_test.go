package git

import (
	"os"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGitAdd(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.common("git_add", `,"files":["a.txt"]`)
	p.repo("repo")
	p.put("repo/.gitignore", "ignored\n")
	p.put("repo/ignored", "x")
	p.put("repo/new.txt", "x")
	p.put("repo/sub/c.txt", "x")
	p.put("repo/a*", "x")
	p.put("repo/-A", "x")
	if err := os.Remove(p.path("repo/a.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", p.path("repo/etc")); err != nil {
		t.Fatal(err)
	}
	p.run("git_add",
		tooltest.Case{Name: "none", Args: `{"path":"repo","files":[]}`, Fails: tool.ValidationError, Message: "set all"},
		tooltest.Case{Name: "missing", Args: `{"path":"repo"}`, Fails: tool.ValidationError},
		tooltest.Case{
			Name:    "not there",
			Args:    `{"path":"repo","files":["new.txt","none"]}`,
			Fails:   tool.FileNotFound,
			Message: "The repository has no file none; name files as git_status lists them, relative to path",
		},
		tooltest.Case{Name: "ignored", Args: `{"path":"repo","files":["ignored"]}`, Fails: tool.ExecutionError, Message: "ignored"},
		tooltest.Case{Name: "outside", Args: `{"path":"repo","files":["../x"]}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "absolute", Args: `{"path":"repo","files":["/etc/passwd"]}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "beyond a link", Args: `{"path":"repo","files":["etc/passwd"]}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "git's own", Args: `{"path":"repo","files":[".git/config"]}`, Fails: tool.PathNotAllowed},
		tooltest.Case{
			Name:    "too much",
			Args:    `{"path":"repo","files":["` + strings.Repeat(strings.Repeat("x", 4000)+`","`, 200) + `x"]}`,
			Fails:   tool.ValidationError,
			Message: "several calls",
		},
		tooltest.Case{Name: "empty name", Args: `{"path":"repo","files":[""]}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "NUL", Args: `{"path":"repo","files":["a\u0000b"]}`, Fails: tool.ValidationError},
		tooltest.Case{
			Name: "no pattern", Args: `{"path":"repo","files":["a*"]}`,
			Want: `{"success":true,"staged":["a*"],"currentStatus":["A  a*"," D a.txt","?? -A","?? .gitignore","?? etc","?? new.txt","?? sub/c.txt"],"total":7,"truncated":false}`,
		},
		tooltest.Case{
			Name: "deleted, from below, and an option", Args: `{"path":"repo/sub","files":["../a.txt","c.txt","../-A"]}`,
			Want: `{"success":true,"staged":["-A","a*","a.txt","sub/c.txt"],"currentStatus":["A  -A","A  a*","D  a.txt","A  sub/c.txt","?? .gitignore","?? etc","?? new.txt"],"total":7,"truncated":false}`,
		},
		tooltest.Case{Name: "all", Args: `{"path":"repo/sub","files":[],"all":true}`, Check: func(t *testing.T, res tool.Result) {
			if got := of[addResult](t, res); len(got.Staged) != 7 || got.Total != 7 {
				t.Errorf("add = %s", res.Value)
			}
		}},
	)
	if got := p.git("repo", "ls-files", "-s", "etc"); got[:6] != "120000" {
		t.Errorf("the link was staged as %s", got)
	}
}
