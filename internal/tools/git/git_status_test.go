package git

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// of decodes a result into a value of the tool's own type.
func of[T any](t *testing.T, res tool.Result) (v T) {
	t.Helper()
	if err := json.Unmarshal(res.Value, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func parsed(staged, notStaged, untracked, modified, conflicted string, clean bool) string {
	return fmt.Sprintf(`{"staged":[%s],"notStaged":[%s],"untracked":[%s],"modified":[%s],"conflicted":[%s],"clean":%v}`,
		staged, notStaged, untracked, modified, conflicted, clean)
}

func TestGitStatus(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.common("git_status", "")
	p.repo("repo")
	p.repo("dirty")
	p.put("dirty/a.txt", "changed\n")
	p.put("dirty/new.txt", "n\n")
	p.put("dirty/staged.txt", "s\n")
	p.put("dirty/sub/b.txt", "staged\n")
	p.git("dirty", "add", "staged.txt", "sub/b.txt")
	p.put("dirty/sub/b.txt", "and changed\n")
	p.empty("fresh")
	p.repo("conflict")
	p.git("conflict", "checkout", "-qb", "topic")
	p.put("conflict/a.txt", "topic\n")
	p.git("conflict", "commit", "-qam", "topic")
	p.git("conflict", "checkout", "-q", "main")
	p.put("conflict/a.txt", "main\n")
	p.git("conflict", "commit", "-qam", "main")
	if _, err := p.tryGit("conflict", "merge", "topic"); err == nil {
		t.Fatal("there is no conflict")
	}
	p.repo("detached")
	p.git("detached", "checkout", "-q", "--detach")
	p.git("", "clone", "-q", "repo", "clone")
	p.git("clone", "commit", "-q", "--allow-empty", "-m", "ahead")
	p.git("repo", "worktree", "add", "-q", "../tree")
	p.git("", "clone", "-q", "--bare", "repo", "bare.git")
	want := func(repository, branch string, ahead, total int, parsed string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			got := of[statusResult](t, res)
			text, _ := json.Marshal(got.Parsed)
			if got.Repository != repository || got.Branch != branch || got.Detached != (branch == "") || got.Ahead != ahead || got.Total != total ||
				string(text) != canonical(t, parsed) || got.Truncated {
				t.Errorf("status = %s, want %s %s %s", res.Value, repository, branch, parsed)
			}
			if strings.Contains(string(res.Value), p.dir) || res.Text != got.Raw {
				t.Errorf("text %q of %s", res.Text, res.Value)
			}
		}
	}
	dirty := parsed(`"staged.txt","sub/b.txt"`, `"a.txt","sub/b.txt"`, `"new.txt"`, `"a.txt","sub/b.txt"`, "", false)
	p.run("git_status",
		tooltest.Case{
			Name:     "clean",
			Args:     `{"path":"repo"}`,
			WantText: "On branch main\nnothing to commit, working tree clean\n",
			Check:    want("repo", "main", 0, 0, parsed("", "", "", "", "", true)),
		},
		tooltest.Case{Name: "dirty", Args: `{"path":"dirty"}`, Check: want("dirty", "main", 0, 4, dirty)},
		tooltest.Case{
			Name:     "short, from below",
			Args:     `{"path":"dirty/sub/","short":true}`,
			WantText: " M a.txt\nA  staged.txt\nMM sub/b.txt\n?? new.txt\n",
			Check:    want("dirty", "main", 0, 4, dirty),
		},
		tooltest.Case{Name: "no commit", Args: `{"path":"fresh"}`, Check: want("fresh", "main", 0, 0, parsed("", "", "", "", "", true))},
		tooltest.Case{
			Name:  "conflict",
			Args:  `{"path":"conflict"}`,
			Check: want("conflict", "main", 0, 1, parsed("", `"a.txt"`, "", "", `"a.txt"`, false)),
		},
		tooltest.Case{Name: "detached", Args: `{"path":"detached"}`, Check: want("detached", "", 0, 0, parsed("", "", "", "", "", true))},
		tooltest.Case{Name: "ahead", Args: `{"path":"clone"}`, Check: want("clone", "main", 1, 0, parsed("", "", "", "", "", true))},
		tooltest.Case{Name: "worktree", Args: `{"path":"tree"}`, Check: want("tree", "tree", 0, 0, parsed("", "", "", "", "", true))},
		tooltest.Case{Name: "bare", Args: `{"path":"bare.git"}`, Fails: tool.ValidationError, Message: "bare"},
	)
}

// The workspace itself may be the repository.
func TestGitStatusOfTheWorkspace(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.repo(".")
	p.put("dir/new", "")
	for _, args := range []string{`{}`, `{"path":"."}`, `{"path":"dir"}`, `{"path":""}`} {
		p.run("git_status", tooltest.Case{Name: args, Args: args, Check: func(t *testing.T, res tool.Result) {
			if got := of[statusResult](t, res); got.Repository != "." || len(got.Parsed.Untracked) != 1 || got.Parsed.Untracked[0] != "dir/new" {
				t.Errorf("status = %s", res.Value)
			}
		}})
	}
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	var v parsedStatus
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

func TestOddNames(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.repo("repo")
	names := map[string]string{
		"new\nline": "new\nline", `qu"ote`: `qu"ote`, `"whole"`: `"\"whole\""`, "inv\xff\x80alid": `"inv\377\200alid"`, "spa ce": "spa ce",
		"ünï": "ünï", "-d": "-d", "*": "*", ":(top)x": ":(top)x", "tab\t": "tab\t", `back\slash`: `back\slash`,
	}
	var all []string
	for name, shown := range names {
		p.put("repo/"+name, "x")
		all = append(all, shown)
	}
	args, _ := json.Marshal(map[string]any{"path": "repo", "files": all})
	p.run("git_status", tooltest.Case{Name: "untracked", Args: `{"path":"repo"}`, Check: func(t *testing.T, res tool.Result) {
		got := of[statusResult](t, res).Parsed.Untracked
		if len(got) != len(names) {
			t.Errorf("untracked = %q", got)
		}
		for _, shown := range got {
			if names[meant(shown)] != shown {
				t.Errorf("%q is shown for %q", shown, meant(shown))
			}
		}
	}})
	p.run("git_add", tooltest.Case{Name: "by what is shown", Args: string(args), Check: func(t *testing.T, res tool.Result) {
		if got := of[addResult](t, res); len(got.Staged) != len(names) {
			t.Errorf("staged = %q", got.Staged)
		}
	}})
	if left := p.git("repo", "status", "--porcelain", "--untracked-files=all"); strings.Contains(left, "??") {
		t.Errorf("not staged: %s", left)
	}
}

func TestManyFiles(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.empty("repo")
	for i := range maxListed + 200 {
		if err := os.WriteFile(p.path(fmt.Sprintf("repo/f%04d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.run("git_status", tooltest.Case{Name: "many", Args: `{"path":"repo","short":true}`, Check: func(t *testing.T, res tool.Result) {
		got := of[statusResult](t, res)
		if len(got.Parsed.Untracked) != maxListed || got.Total != maxListed+200 || !got.Truncated || !res.Truncated ||
			got.Parsed.Untracked[0] != "f0000" {
			t.Errorf("%d of %d, truncated %v", len(got.Parsed.Untracked), got.Total, got.Truncated)
		}
		if len(res.Notes) != 1 || !strings.Contains(res.Notes[0], fmt.Sprintf("%d files differ", got.Total)) {
			t.Errorf("notes %q, want one on what was cut", res.Notes)
		}
	}})
}

func FuzzParseStatus(f *testing.F) {
	f.Add("# branch.head main\x001 M. N... 100644 100644 100644 a b name\x00? x\x00", false)
	f.Add("2 R. N... 1 2 3 a b R100 new\x00old\x00u UU N... 1 2 3 4 a b c n\x00", true)
	f.Fuzz(func(t *testing.T, text string, cut bool) {
		s := parseStatus(text, cut)
		if s.total < len(s.untracked)+len(s.conflicted) || len(s.lines) != s.total {
			t.Errorf("%+v", s)
		}
	})
}

func FuzzNames(f *testing.F) {
	f.Add("a\xff\"\\\n")
	f.Add(`"\777"`)
	f.Fuzz(func(t *testing.T, name string) {
		if got := meant(shown(name)); got != name {
			t.Errorf("meant(shown(%q)) = %q", name, got)
		}
		_ = meant(name)
	})
}
