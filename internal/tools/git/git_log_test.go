package git

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// subjects returns the first lines of the commits of a result.
func subjects(r logResult) string {
	var all []string
	for _, c := range r.Commits {
		line, _, _ := strings.Cut(c.Message, "\n")
		all = append(all, line)
	}
	return strings.Join(all, ",")
}

func TestGitLog(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.common("git_log", "")
	p.repo("repo")
	for i, day := range []string{"2026-01-01T08:00:00Z", "2026-01-02T09:30:00+02:00"} {
		p.put("repo/a.txt", fmt.Sprint(i))
		p.git("repo", "-c", "user.useConfigOnly=false", "add", "a.txt")
		p.git("repo", "commit", "-qm", fmt.Sprintf("change %d", i), "--author=Grace (x) <grace@example.com>", "--date="+day)
	}
	p.git("repo", "checkout", "-qb", "topic")
	p.git("repo", "commit", "-q", "--allow-empty", "-m", "on topic")
	p.git("repo", "checkout", "-q", "main")
	p.git("repo", "tag", "v1", "HEAD~1")
	p.empty("fresh")
	p.git("", "clone", "-q", "--bare", "repo", "bare.git")
	want := func(all string, total int, truncated bool) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			got := of[logResult](t, res)
			if subjects(got) != all || got.Count != len(got.Commits) || got.Total != total || got.Truncated != truncated || res.Truncated {
				t.Errorf("log = %s, want %s of %d", res.Value, all, total)
			}
			if note := fmt.Sprintf("showing the newest %d of %d commits",
				got.Count, total); truncated != strings.Contains(strings.Join(res.Notes, " "), note) {
				t.Errorf("notes %q, want %q: %v", res.Notes, note, truncated)
			}
		}
	}
	first := p.git("repo", "rev-list", "--max-parents=0", "main")
	p.run("git_log",
		tooltest.Case{Name: "all", Args: `{"path":"repo"}`, Check: want("change 1,change 0,first", 3, false)},
		tooltest.Case{
			Name: "first",
			Args: `{"path":"repo","branch":"` + first + `"}`,
			Want: `{"commits":[{"hash":"` + first + `","author":"Ada","email":"ada@example.com","date":"2025-12-31T10:00:00Z","message":"first\n\nwith a body"}],"count":1,"total":1,"truncated":false,"filters":{"branch":"` + first + `"}}`,
		},
		tooltest.Case{
			Name: "oneline",
			Args: `{"path":"repo","branch":"` + first + `","oneline":true}`,
			Want: `{"commits":[{"hash":"` + first[:7] + `","author":"Ada","email":"ada@example.com","date":"2025-12-31T10:00:00Z","message":"first"}],"count":1,"total":1,"truncated":false,"filters":{"branch":"` + first + `"}}`,
		},
		tooltest.Case{Name: "limit", Args: `{"path":"repo","limit":1.9}`, Check: want("change 1", 3, true)},
		tooltest.Case{Name: "limit that fits", Args: `{"path":"repo","limit":3}`, Check: want("change 1,change 0,first", 3, false)},
		tooltest.Case{Name: "author", Args: `{"path":"repo","author":"grace (X)"}`, Check: want("change 1,change 0", 2, false)},
		tooltest.Case{Name: "author by address", Args: `{"path":"repo","author":"ada@"}`, Check: want("first", 1, false)},
		tooltest.Case{Name: "author is no pattern", Args: `{"path":"repo","author":".*"}`, Check: want("", 0, false)},
		tooltest.Case{Name: "file", Args: `{"path":"repo","file":"sub"}`, Check: want("first", 1, false)},
		tooltest.Case{Name: "file from below", Args: `{"path":"repo/sub","file":"b.txt"}`, Check: want("first", 1, false)},
		tooltest.Case{Name: "branch", Args: `{"path":"repo","branch":"topic","limit":1}`, Check: want("on topic", 4, true)},
		tooltest.Case{Name: "tag", Args: `{"path":"repo","branch":"v1"}`, Check: want("change 0,first", 2, false)},
		tooltest.Case{Name: "bare", Args: `{"path":"bare.git","branch":"topic","limit":1}`, Check: want("on topic", 4, true)},
		tooltest.Case{
			Name:     "no commit",
			Args:     `{"path":"fresh"}`,
			Want:     `{"commits":[],"count":0,"total":0,"truncated":false,"filters":{}}`,
			WantText: "No commits.",
		},
		tooltest.Case{Name: "unknown", Args: `{"path":"repo","branch":"none"}`, Fails: tool.ValidationError, Message: "none"},
		tooltest.Case{Name: "an option", Args: `{"path":"repo","branch":"--all"}`, Fails: tool.ValidationError},
		tooltest.Case{Name: "an option as file", Args: `{"path":"repo","file":"--all"}`, Check: want("", 0, false)},
		tooltest.Case{Name: "an option as author", Args: `{"path":"repo","author":"--all"}`, Check: want("", 0, false)},
		tooltest.Case{Name: "no time", Args: `{"path":"repo","since":"whenever"}`, Fails: tool.ValidationError, Message: "2026-01-31"},
		tooltest.Case{
			Name:    "no such day",
			Args:    `{"path":"repo","since":"2024-02-30"}`,
			Fails:   tool.ValidationError,
			Message: "Not a time: 2024-02-30.",
		},
		tooltest.Case{Name: "file outside", Args: `{"path":"repo","file":"../../x"}`, Fails: tool.PathNotAllowed},
		tooltest.Case{Name: "author of two lines", Args: `{"path":"repo","author":"a\nb"}`, Fails: tool.ValidationError},
	)
}

func TestGitLogTimes(t *testing.T) {
	p := newPlace(t, programs.Options{})
	p.empty("repo")
	p.call.Clock = tooltest.Clock{T: time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)}
	for _, at := range []string{"2025-12-01T00:00:00Z", "2026-01-08T23:00:00Z", "2026-01-09T01:00:00Z", "2026-01-10T11:00:00Z"} {
		p.call.Clock = tooltest.Clock{T: mustTime(t, at)}
		p.put("repo/f", at)
		p.run("git_add", tooltest.Case{Name: at, Args: `{"path":"repo","files":["f"]}`, Check: func(*testing.T, tool.Result) {}})
		p.run("git_commit", tooltest.Case{
			Name:  at,
			Args:  `{"path":"repo","message":"` + at[8:13] + `"}`,
			Check: func(*testing.T, tool.Result) {},
		})
	}
	for bounds, want := range map[string]string{
		`"since":"2026-01-09"`: "10T11,09T01", `"until":"2026-01-09"`: "09T01,08T23,01T00",
		`"since":"2026-01-08","until":"2026-01-08"`: "08T23", `"since":"2026-01-08T23:00:00Z"`: "10T11,09T01,08T23",
		`"since":"2026-01-09T03:30:00+02:00"`: "10T11", `"since":"2026-01-09 01:00"`: "10T11,09T01",
		`"since":"2 weeks ago"`: "10T11,09T01,08T23", `"until":"2 weeks ago"`: "01T00", `"since":"yesterday"`: "10T11",
		`"since":"2027-01-01"`: "", `"since":"1970-01-01"`: "10T11,09T01,08T23,01T00", `"until":"1970-01-01"`: "",
		`"since":"1950-06-01"`: "10T11,09T01,08T23,01T00", `"until":"0001-01-01"`: "",
		`"since":"1972-12-31T00:00:00Z","until":"1973-03-03"`: "", `"until":"Jan 8, 2026"`: "08T23,01T00", `"since":"yesterday 12:30"`: "10T11",
		`"since":"1767916800"`: "10T11,09T01",
	} {
		p.call.Clock = tooltest.Clock{T: time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)}
		p.run("git_log", tooltest.Case{Name: bounds, Args: `{"path":"repo",` + bounds + `}`, Check: func(t *testing.T, res tool.Result) {
			if got := subjects(of[logResult](t, res)); got != want {
				t.Errorf("%s: %s, want %s", bounds, got, want)
			}
		}})
	}
}

func mustTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// A name that does not exist is not passed to git, which would misinterpret it.
func TestWhenRefuses(t *testing.T) {
	for _, text := range []string{
		"2024-02-30", "2024-13-45", "2024-01-31T25:00:00Z", "2024-01-31T12:60:00Z", "2024-01-31 24:01", "2024/02/30", "31.12.2024", "Feb 30 2024",
		"yesterday 25:00", "yesterday 12:60", "2024", "20240230", "@5", "", "whenever",
	} {
		if at, err := when(text, "T00:00:00Z"); err == nil || tool.AsError(err).Kind != tool.ValidationError ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("when(%q) = %q, %v, want a validation_error that names it", text, at, err)
		}
	}
	for text, want := range map[string]string{
		"1970-01-01": "@0 +0000", "1969-12-31": "@0 +0000", "1973-03-03": "@99964800 +0000", "2024-02-29T12:00:00+02:00": "@1709200800 +0000",
		"2.weeks.ago": "2.weeks.ago", "5 minutes ago": "5 minutes ago",
	} {
		if at, err := when(text, "T00:00:00Z"); err != nil || at != want {
			t.Errorf("when(%q) = %q, %v, want %q", text, at, err, want)
		}
	}
}

func FuzzWhen(f *testing.F) {
	f.Add("2026-01-31")
	f.Add("2 weeks ago")
	f.Fuzz(func(t *testing.T, text string) {
		if at, err := when(text, "T00:00:00Z"); err == nil && strings.ContainsAny(at, "\x00\n") {
			t.Errorf("when(%q) = %q", text, at)
		}
	})
}
