package git

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type statusArgs struct {
	Path  string `json:"path,omitzero" doc:"Directory of the workspace in the repository; the workspace itself by default."`
	Short bool   `json:"short,omitzero" doc:"Give raw in the short form of git status --short."`
}

type statusResult struct {
	Raw        string       `json:"raw" doc:"What git status prints."`
	Parsed     parsedStatus `json:"parsed"`
	Repository string       `json:"repository" doc:"Directory of the repository in the workspace."`
	Branch     string       `json:"branch" doc:"Branch that is checked out; empty if HEAD is detached."`
	Detached   bool         `json:"detached"`
	Upstream   string       `json:"upstream,omitempty"`
	Ahead      int          `json:"ahead" doc:"Commits that the upstream branch lacks."`
	Behind     int          `json:"behind" doc:"Commits that only the upstream branch has."`
	Total      int          `json:"total" doc:"Files that differ or are untracked."`
	Truncated  bool         `json:"truncated"`
}

type parsedStatus struct {
	Staged     []string `json:"staged" doc:"Files with changes that the next commit takes, relative to the repository."`
	NotStaged  []string `json:"notStaged" doc:"Files with changes that it does not take."`
	Untracked  []string `json:"untracked" doc:"Files that git does not know."`
	Clean      bool     `json:"clean"`
	Modified   []string `json:"modified" doc:"Files with other contents than in the last commit."`
	Conflicted []string `json:"conflicted" doc:"Files with conflicts of a merge."`
}

// Present shows the output of git status.
func (r *statusResult) Present(res *tool.Result) { res.Text, res.Truncated = r.Raw, r.Truncated }

var _ = tool.Add(Set, tool.Spec[statusArgs, *statusResult]{
	Name: "git_status",
	Description: "Show the state of a git repository in the workspace before committing: its branch and which files are staged, changed, " +
		"in conflict or untracked.",
	Tags:       []string{"git", "version", "repo", "changes", "modified", "status", "working tree", "branch", "untracked"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles | tool.NeedPrograms,
	Timeout:    30 * time.Second,
	Errors:     []tool.Kind{tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.NotConfigured},
	Example:    `{"path": "repo"}`,
	Run:        gitStatus,
})

func gitStatus(ctx context.Context, call *tool.Call, args statusArgs) (*statusResult, error) {
	r, err := withFiles(ctx, call, args.Path, false)
	if err != nil {
		return nil, err
	}
	s, err := r.status(ctx)
	if err != nil {
		return nil, err
	}
	form := "--long"
	if args.Short {
		form = "--short"
	}
	raw, err := r.do(ctx, order{args: []string{"status", form, "--untracked-files=all", "--ignore-submodules=dirty"}, most: maxText})
	if err == nil && raw.Code != 0 && !raw.Flooded {
		err = r.failure(raw)
	}
	if err != nil {
		return nil, err
	}
	res := &statusResult{
		Raw: r.text(raw.Stdout),
		Parsed: parsedStatus{
			Staged: few(s.staged), NotStaged: few(s.notStaged), Untracked: few(s.untracked),
			Clean: s.total == 0 && !s.cut, Modified: few(s.modified), Conflicted: few(s.conflicted),
		},
		Repository: r.top, Branch: s.branch, Detached: s.branch == "", Upstream: s.upstream,
		Ahead: s.ahead, Behind: s.behind, Total: s.total, Truncated: s.truncated() || raw.StdoutCut > 0,
	}
	if res.Truncated {
		call.Note("%d files differ or are untracked, and a list holds at most %d; git_diff with stat=true lists all that changed.",
			res.Total, maxListed)
	}
	return res, nil
}
