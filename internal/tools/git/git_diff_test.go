package git

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGitDiff(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.common("git_diff", "")
	p.repo("repo")
	p.git("repo", "checkout", "-qb", "topic")
	p.put("repo/sub/b.txt", "topic\n")
	p.git("repo", "commit", "-qam", "topic")
	p.git("repo", "checkout", "-q", "main")
	p.put("repo/main.txt", "main\n")
	p.git("repo", "add", "main.txt")
	p.git("repo", "commit", "-qm", "main")
	p.put("repo/a.txt", "one\n2\nthree\n")
	p.put("repo/staged.txt", "s\n")
	p.git("repo", "add", "staged.txt")
	p.empty("fresh")
	p.put("fresh/a", "x\n")
	p.git("fresh", "add", "a")
	p.git("", "clone", "-q", "--bare", "repo", "bare.git")
	const work = "diff --git a/a.txt b/a.txt\nindex 814f4a4..43e02d1 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n" +
		"+2\n+three\n"
	stats := func(files, additions, deletions int, hold string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			got := of[diffResult](t, res)
			if want := (diffStats{files, additions, deletions}); got.Stats != want || !strings.Contains(got.Diff, hold) || got.Truncated ||
				got.Bytes != int64(len(got.Diff)) {
				t.Errorf("diff = %s, want %+v with %q", res.Value, want, hold)
			}
		}
	}
	p.run("git_diff",
		tooltest.Case{Name: "files", Args: `{"path":"repo"}`, Check: func(t *testing.T, res tool.Result) {
			got := of[diffResult](t, res)
			head, _, _ := strings.Cut(got.Diff, "index ")
			_, body, _ := strings.Cut(got.Diff, "100644\n")
			_, want, _ := strings.Cut(work, "100644\n")
			if head != "diff --git a/a.txt b/a.txt\n" || body != want || got.Stats != (diffStats{1, 2, 1}) || res.Text != got.Diff {
				t.Errorf("diff = %s", res.Value)
			}
		}},
		tooltest.Case{Name: "staged", Args: `{"path":"repo","staged":true}`, Check: stats(1, 1, 0, "+++ b/staged.txt\n")},
		tooltest.Case{Name: "one file, from below", Args: `{"path":"repo/sub","file":"../a.txt"}`, Check: stats(1, 2, 1, "+three")},
		tooltest.Case{Name: "one file, as the workspace has it", Args: `{"path":"repo","file":"repo/a.txt"}`, Check: stats(1, 2, 1, "+three")},
		tooltest.Case{Name: "no difference", Args: `{"path":"repo","file":"sub"}`, WantText: "No differences.", Check: stats(0, 0, 0, "")},
		tooltest.Case{Name: "commit", Args: `{"path":"repo","commit":"HEAD~1"}`, Check: stats(3, 4, 1, "+++ b/main.txt")},
		tooltest.Case{Name: "commit, staged", Args: `{"path":"repo","commit":"HEAD~1","staged":true}`, Check: stats(2, 2, 0, "+++ b/main.txt")},
		tooltest.Case{Name: "range", Args: `{"path":"repo","commitRange":"main..topic"}`, Check: stats(2, 1, 2, "-main")},
		tooltest.Case{Name: "range from the base", Args: `{"path":"repo","commitRange":"main...topic"}`, Check: stats(1, 1, 1, "+topic")},
		tooltest.Case{Name: "open range", Args: `{"path":"repo","commitRange":"topic.."}`, Check: stats(2, 2, 1, "+main")},
		tooltest.Case{
			Name: "stat",
			Args: `{"path":"repo","stat":true}`,
			Want: `{"diff":" a.txt | 3 ++-\n 1 file changed, 2 insertions(+), 1 deletion(-)\n","stats":{"files":1,"additions":2,"deletions":1},"options":{"staged":false,"stat":true},"bytes":63,"truncated":false}`,
		},
		tooltest.Case{Name: "options", Args: `{"path":"bare.git","commitRange":"main..topic","file":"sub"}`,
			Check: func(t *testing.T, res tool.Result) {
				if got := of[diffResult](t, res); got.Options != (diffOptions{CommitRange: "main..topic", File: "sub"}) || got.Stats.Files != 1 {
					t.Errorf("diff = %s", res.Value)
				}
			}},
		tooltest.Case{Name: "no commit yet", Args: `{"path":"fresh","staged":true}`, Check: stats(1, 1, 0, "+x")},
		tooltest.Case{Name: "bare", Args: `{"path":"bare.git"}`, Fails: tool.ValidationError, Message: "commitRange"},
		tooltest.Case{Name: "both", Args: `{"path":"repo","commitRange":"a..b","commit":"c"}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "unknown", Args: `{"path":"repo","commit":"none"}`, Fails: tool.ValidationError, Message: "Unknown branch"},
		tooltest.Case{Name: "no range", Args: `{"path":"repo","commitRange":"main"}`, Fails: tool.ValidationError, Message: "main..topic"},
		tooltest.Case{Name: "only dots", Args: `{"path":"repo","commitRange":"..."}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "an option", Args: `{"path":"repo","commit":"--output=x"}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "an option in a range", Args: `{"path":"repo","commitRange":"--output=x..main"}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "a file outside", Args: `{"path":"repo","file":"../plain/file.txt"}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "an absolute file", Args: `{"path":"repo","file":"/etc/passwd"}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "a file that is an option", Args: `{"path":"repo","file":"--no-index"}`, Check: stats(0, 0, 0, "")},
		tooltest.Case{Name: "NUL", Args: `{"path":"repo","file":"a\u0000b"}`, Fails: tool.ValidationError},
	)
}

func TestGitDiffOfMuch(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.repo("repo")
	p.put("repo/a.txt", strings.Repeat("line\n", 100_000))
	p.put("repo/sub/b.txt", "bin\x00ary")
	p.run("git_diff",
		tooltest.Case{Name: "cut", Args: `{"path":"repo"}`, Check: func(t *testing.T, res tool.Result) {
			got := of[diffResult](t, res)
			if len(got.Diff) != maxText || !got.Truncated || !res.Truncated || got.Bytes < 600_000 || got.Stats.Additions != 100_000 ||
				got.Stats.Files != 2 {
				t.Errorf("%d bytes of %d, truncated %v, %+v", len(got.Diff), got.Bytes, got.Truncated, got.Stats)
			}
			if len(res.Notes) != 1 || !strings.Contains(res.Notes[0], fmt.Sprintf("showing the first %d of %d bytes", maxText, got.Bytes)) {
				t.Errorf("notes %q, want one on what was cut", res.Notes)
			}
		}},
		tooltest.Case{Name: "binary", Args: `{"path":"repo","file":"sub/b.txt"}`, Check: func(t *testing.T, res tool.Result) {
			if got := of[diffResult](t, res); !strings.Contains(got.Diff, "Binary files a/sub/b.txt and b/sub/b.txt differ") ||
				got.Stats != (diffStats{1, 0, 0}) {
				t.Errorf("diff = %s", res.Value)
			}
		}},
	)
	p.git("repo", "mv", "a.txt", fmt.Sprintf("%s.txt", strings.Repeat("n", 100)))
	p.run("git_diff", tooltest.Case{Name: "renamed", Args: `{"path":"repo","staged":true}`, Check: func(t *testing.T, res tool.Result) {
		if got := of[diffResult](t, res); !strings.Contains(got.Diff, "rename to nnn") || got.Stats.Files != 1 {
			t.Errorf("diff = %s", res.Value)
		}
	}})
}

func TestBrokenRepository(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.repo("repo")
	p.put("repo/.git/config", "[core\nbroken")
	p.run("git_diff", tooltest.Case{Name: "config", Args: `{"path":"repo"}`, Fails: tool.ExecutionError})
	p.put("other/.git", "gitdir: nowhere\n")
	p.run("git_diff", tooltest.Case{Name: "link to nowhere", Args: `{"path":"other"}`, Fails: tool.ExecutionError, Message: "damaged"})
}
