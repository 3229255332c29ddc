package git

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type addArgs struct {
	Path  string   `json:"path,omitzero" doc:"Directory of the workspace in the repository; the workspace itself by default."`
	Files []string `json:"files" max:"1000" doc:"Files or directories to stage, relative to path; '.' is all below it. Names only, no patterns."`
	All   bool     `json:"all,omitzero" doc:"Stage every change in the repository, whatever files says."`
}

type addResult struct {
	Success       bool     `json:"success"`
	Staged        []string `json:"staged" doc:"Files with staged changes now, relative to the repository."`
	CurrentStatus []string `json:"currentStatus" doc:"Lines of git status --short: staged state, state of the file, name."`
	Total         int      `json:"total" doc:"Files that differ from the last commit or are untracked."`
	Truncated     bool     `json:"truncated"`
}

var _ = tool.Add(Set, tool.Spec[addArgs, *addResult]{
	Name:        "git_add",
	Description: "Stage new, changed and deleted files of a git repository in the workspace for the next git_commit; returns what is staged.",
	Tags:        []string{"git", "stage", "add files", "prepare", "index", "track"},
	Risk:        tool.Low,
	Mutates:     true,
	Idempotent:  true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles | tool.NeedPrograms,
	Timeout:     60 * time.Second,
	Errors:      []tool.Kind{tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.NotConfigured},
	Example:     `{"path": "repo", "files": ["README.md", "new.txt"]}`,
	Run:         gitAdd,
})

// maxNames limits the names that are passed to git as arguments, in bytes.
const maxNames = 512 << 10

func gitAdd(ctx context.Context, call *tool.Call, args addArgs) (*addResult, error) {
	if len(args.Files) == 0 && !args.All {
		return nil, tool.Fail(tool.ValidationError, "files is empty: name what to stage, '.' for all below path, or set all.")
	}
	r, err := withFiles(ctx, call, args.Path, true)
	if err != nil {
		return nil, err
	}
	files := []string{"."}
	if !args.All {
		length := 0
		files = files[:0]
		for _, name := range args.Files {
			file, err := r.inside(name)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
			if length += len(file); length > maxNames {
				return nil, tool.Fail(tool.ValidationError, "The names in files are too long together; stage them in several calls.")
			}
		}
	}
	if !args.All {
		if err := r.known(ctx, files); err != nil {
			return nil, err
		}
	}
	if err := r.stage(ctx, files, true); err != nil {
		return nil, err
	}
	s, err := r.status(ctx)
	if err != nil {
		return nil, err
	}
	if s.truncated() {
		call.Note("%d files differ or are untracked, and a list holds at most %d.", s.total, maxListed)
	}
	return &addResult{Success: true, Staged: few(s.staged), CurrentStatus: few(s.lines), Total: s.total, Truncated: s.truncated()}, nil
}
