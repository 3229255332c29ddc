package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type logArgs struct {
	Path    string  `json:"path,omitzero" doc:"Directory of the workspace in the repository; the workspace itself by default."`
	Limit   float64 `json:"limit,omitzero" doc:"Most commits to return."`
	Oneline bool    `json:"oneline,omitzero" doc:"Give short hashes and the first line of each message."`
	Author  string  `json:"author,omitzero" doc:"Only commits whose author's name or address holds this text."`
	Since   string  `json:"since,omitzero" doc:"Only commits from then on: 2026-01-31, a time in RFC 3339, or words such as '2 weeks ago'; UTC."`
	Until   string  `json:"until,omitzero" doc:"Only commits up to then, in the same forms; a day counts to its end."`
	File    string  `json:"file,omitzero" doc:"Only commits that changed this file or directory, relative to path."`
	Branch  string  `json:"branch,omitzero" doc:"Branch, tag or commit to start from; what is checked out by default."`
}

type logResult struct {
	Commits   []commit   `json:"commits" doc:"The newest first."`
	Count     int        `json:"count"`
	Total     int        `json:"total" doc:"How many there are in all; counted up to 10000."`
	Truncated bool       `json:"truncated"`
	Filters   logFilters `json:"filters"`
}

type commit struct {
	Hash    string `json:"hash"`
	Author  string `json:"author"`
	Email   string `json:"email"`
	Date    string `json:"date" doc:"When it was written, RFC 3339."`
	Message string `json:"message"`
}

type logFilters struct {
	Author string `json:"author,omitempty"`
	Since  string `json:"since,omitempty"`
	Until  string `json:"until,omitempty"`
	File   string `json:"file,omitempty"`
	Branch string `json:"branch,omitempty"`
}

// Present shows one or more lines for each commit.
func (r *logResult) Present(res *tool.Result) {
	var b strings.Builder
	for _, c := range r.Commits {
		fmt.Fprintf(&b, "%s %s %s <%s>\n    %s\n", c.Hash, c.Date, c.Author, c.Email, strings.ReplaceAll(c.Message, "\n", "\n    "))
	}
	if r.Truncated {
		fmt.Fprintf(&b, "[%d of %d]\n", r.Count, r.Total)
	}
	res.Text = b.String()
	if r.Count == 0 {
		res.Text = "No commits."
	}
}

const (
	mostCommits = 50
	maxCounted  = 10_000
	maxMessage  = 16 << 10
)

var _ = tool.Add(Set, tool.Spec[logArgs, *logResult]{
	Name: "git_log",
	Description: "List the commits of a git repository in the workspace, the newest first, to see who changed what and when; " +
		"they can be chosen by author, time, file and branch.",
	Tags:       []string{"git", "history", "commit list", "log", "record", "commits", "author", "changelog"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles | tool.NeedPrograms,
	Timeout:    60 * time.Second,
	Limit:      &tool.Limit{Param: "limit", Max: mostCommits, Default: 10},
	Errors:     []tool.Kind{tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.NotConfigured},
	Example:    `{"path": "repo", "limit": 5}`,
	Run:        gitLog,
})

func gitLog(ctx context.Context, call *tool.Call, args logArgs) (*logResult, error) {
	limit := int(min(args.Limit, mostCommits)) // a fraction is ignored
	if limit <= 0 {
		limit = 10
	}
	r, err := open(ctx, call, args.Path, false)
	if err != nil {
		return nil, err
	}
	res := &logResult{Commits: []commit{}, Filters: logFilters{args.Author, args.Since, args.Until, args.File, args.Branch}}
	which, err := r.chosen(ctx, &args)
	if err != nil || which == nil {
		return res, err
	}
	hash, body := "%H", "%B"
	if args.Oneline {
		hash, body = "%h", "%s"
	}
	ran, err := r.must(ctx, append([]string{
		"log", "-z", "--no-color", "--no-decorate", "--no-show-signature", "--no-patch", "--no-ext-diff", "--no-textconv", "--encoding=UTF-8",
		"--max-count=" + strconv.Itoa(limit), "--format=tformat:" + hash + "%x00%an%x00%ae%x00%aI%x00" + body,
	}, which...)...)
	if err != nil {
		return nil, err
	}
	res.Commits = commits(string(ran.Stdout))
	res.Count, res.Total = len(res.Commits), len(res.Commits)
	if res.Count < limit && ran.StdoutCut == 0 {
		return res, nil
	}
	ran, err = r.must(ctx, append([]string{"rev-list", "--count", "--max-count=" + strconv.Itoa(maxCounted)}, which...)...)
	if err != nil {
		return nil, err
	}
	total, _ := strconv.Atoi(strings.TrimSpace(string(ran.Stdout)))
	res.Total = max(total, res.Count)
	if res.Truncated = res.Total > res.Count; res.Truncated {
		call.Note("showing the newest %d of %d commits; set limit (at most %d), or until to the date of the last one shown.",
			res.Count, res.Total, mostCommits)
	}
	return res, nil
}

// chosen returns the arguments that select the commits; nil if there is no commit yet.
func (r *repository) chosen(ctx context.Context, args *logArgs) ([]string, error) {
	which := []string{"--fixed-strings", "--regexp-ignore-case"}
	if strings.ContainsAny(args.Author, "\x00\n") || len(args.Author) > maxRevision {
		return nil, tool.Fail(tool.ValidationError, "author must be a part of a name or address.")
	}
	if args.Author != "" {
		which = append(which, "--author="+args.Author)
	}
	for _, bound := range []struct{ option, text, ofDay string }{
		{"--since=", args.Since, "T00:00:00Z"}, {"--until=", args.Until, "T23:59:59Z"},
	} {
		if bound.text == "" {
			continue
		}
		at, err := when(bound.text, bound.ofDay)
		if err != nil {
			return nil, err
		}
		which = append(which, bound.option+at)
	}
	start, err := r.head(ctx)
	if args.Branch != "" && err == nil {
		start, err = r.commit(ctx, args.Branch)
	}
	if err != nil || start == "" {
		return nil, err
	}
	which = append(which, start, "--")
	if args.File != "" {
		file, err := r.inside(args.File)
		if err != nil {
			return nil, err
		}
		which = append(which, file)
	}
	return which, nil
}

// commits parses the five fields of each commit.
func commits(text string) []commit {
	fields := strings.Split(text, "\x00")
	all := []commit{}
	for ; len(fields) > 5; fields = fields[5:] {
		for i, f := range fields[:5] {
			fields[i] = clip(f, maxMessage)
		}
		// Depending on its version git writes UTC as Z or as +00:00.
		if at, err := time.Parse(time.RFC3339, fields[3]); err == nil {
			fields[3] = at.Format(time.RFC3339)
		}
		all = append(all, commit{fields[0], fields[1], fields[2], fields[3], strings.TrimSpace(fields[4])})
	}
	return all
}
