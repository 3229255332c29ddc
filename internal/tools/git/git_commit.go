package git

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type commitArgs struct {
	Path    string `json:"path,omitzero" doc:"Directory of the workspace in the repository; the workspace itself by default."`
	Message string `json:"message" min:"1" max:"65536" doc:"Message of the commit: a short first line, then details after an empty one."`
	All     bool   `json:"all,omitzero" doc:"Take all changes of tracked files, staged or not."`
	Amend   bool   `json:"amend,omitzero" doc:"Replace the last commit by one with its changes and these."`
}

type commitResult struct {
	Success    bool   `json:"success"`
	Output     string `json:"output" doc:"What git says."`
	CommitHash string `json:"commitHash"`
	Message    string `json:"message"`
	Amend      bool   `json:"amend"`
	Replaced   string `json:"replaced,omitempty" doc:"Hash of the commit that was amended; it can still be checked out."`
}

var _ = tool.Add(Set, tool.Spec[commitArgs, *commitResult]{
	Name: "git_commit",
	Description: "Record the staged changes of a git repository in the workspace as a commit, after git_add or with all; " +
		"returns the commit's hash.",
	Tags:       []string{"git", "save", "commit", "version", "record", "amend", "snapshot"},
	Risk:       tool.Low,
	Mutates:    true,
	Idempotent: false,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles | tool.NeedPrograms,
	Timeout:    60 * time.Second,
	Errors:     []tool.Kind{tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.NotConfigured},
	Example:    `{"path": "repo", "message": "Reword the introduction", "all": true}`,
	Run:        gitCommit,
})

func gitCommit(ctx context.Context, call *tool.Call, args commitArgs) (*commitResult, error) {
	if strings.TrimSpace(args.Message) == "" || strings.ContainsRune(args.Message, 0) {
		return nil, tool.Fail(tool.ValidationError, "The message must say what the commit is about.")
	}
	r, err := withFiles(ctx, call, args.Path, true)
	if err != nil {
		return nil, err
	}
	before, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	if args.Amend && before == "" {
		return nil, tool.Fail(tool.ExecutionError, "There is no commit yet that could be amended; leave out amend")
	}
	command := []string{"commit", "--file=-", "--cleanup=whitespace", "--no-verify", "--no-gpg-sign", "--no-status", "--allow-empty-message"}
	if args.Amend {
		command = append(command, "--amend")
	}
	if args.All {
		if err := r.stage(ctx, []string{"."}, false); err != nil {
			return nil, err
		}
	}
	now := fmt.Sprintf("@%d +0000", call.Clock.Now().Unix())
	ran, err := r.do(ctx, order{
		args: command, stdin: strings.NewReader(args.Message),
		env: []string{"GIT_AUTHOR_DATE=" + now, "GIT_COMMITTER_DATE=" + now}, most: maxText,
	})
	if err != nil {
		return nil, err
	}
	if ran.Code != 0 {
		return nil, r.notCommitted(ctx, ran)
	}
	hash, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	res := &commitResult{
		Success:    true,
		Output:     strings.TrimSpace(r.text(ran.Stdout)),
		CommitHash: hash,
		Message:    args.Message,
		Amend:      args.Amend,
	}
	if args.Amend {
		res.Replaced = before
	}
	return res, nil
}

func unresolved(s *state) error {
	return tool.Fail(tool.ExecutionError, "There are unresolved conflicts in %s; edit them, and mark them as resolved with git_add",
		clip(strings.Join(few(s.conflicted), ", "), maxReason))
}

// notCommitted returns the error with its reason and the remedy.
func (r *repository) notCommitted(ctx context.Context, ran tool.Ran) error {
	s, err := r.status(ctx)
	switch {
	case err != nil:
		return r.failure(ran)
	case len(s.conflicted) > 0:
		return unresolved(s)
	case len(s.staged) == 0 && s.total > 0:
		return tool.Fail(tool.ExecutionError, "Nothing is staged for a commit; stage files with git_add, or set all for changes of tracked ones")
	case s.total == 0:
		return tool.Fail(tool.ExecutionError, "There is nothing to commit: no file has changed")
	}
	return r.failure(ran)
}
