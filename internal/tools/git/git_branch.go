package git

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type branchArgs struct {
	Path    string `json:"path,omitzero" doc:"Directory of the workspace in the repository; the workspace itself by default."`
	Action  string `json:"action,omitzero" enum:"list,create,delete,rename" doc:"What to do; create where a name is given, else list. A branch is created at what is checked out, and deleted only if that loses no commit."`
	Name    string `json:"name,omitzero" doc:"Branch to create, delete or rename; rename takes the current one by default."`
	NewName string `json:"newName,omitzero" doc:"New name for rename."`
	Remote  bool   `json:"remote,omitzero" doc:"List the known branches of remote repositories, too."`
}

type branchResult struct {
	Branches  []branch `json:"branches,omitzero" doc:"For list, by name."`
	Count     *int     `json:"count,omitempty"`
	Total     *int     `json:"total,omitempty"`
	Truncated *bool    `json:"truncated,omitempty"`
	Current   string   `json:"current,omitempty" doc:"Branch that is checked out, if HEAD is not detached."`
	Success   bool     `json:"success"`
	Created   string   `json:"created,omitempty"`
	Deleted   string   `json:"deleted,omitempty"`
	Hash      string   `json:"hash,omitempty" doc:"Commit that the created or deleted branch points to."`
	Renamed   *renamed `json:"renamed,omitempty"`
}

type branch struct {
	Name    string `json:"name"`
	Current bool   `json:"current"`
	Remote  bool   `json:"remote,omitempty"`
}

type renamed struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func (a branchArgs) lists() bool { return a.Action == "list" || a.Action == "" && a.creates() == "" }

// creates returns the name of the branch to create if no action is given.
func (a branchArgs) creates() string {
	if a.NewName != "" {
		return "" // two names mean a rename, which must be requested explicitly
	}
	return a.Name
}

var _ = tool.Add(Set, tool.Spec[branchArgs, *branchResult]{
	Name:        "git_branch",
	Description: "List, create, delete or rename branches of a git repository in the workspace; git_checkout switches to one.",
	Tags:        []string{"git", "branch", "branching", "create branch", "delete branch", "rename branch", "list branches"},
	Risk:        tool.Low,
	Mutates:     true,
	Reads:       branchArgs.lists,
	Repeats:     branchArgs.lists,
	Idempotent:  false,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles | tool.NeedPrograms,
	Timeout:     30 * time.Second,
	Errors:      []tool.Kind{tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.NotConfigured},
	Example:     `{"path": "repo", "action": "list"}`,
	Run:         gitBranch,
})

func gitBranch(ctx context.Context, call *tool.Call, args branchArgs) (*branchResult, error) {
	r, err := open(ctx, call, args.Path, !args.lists())
	if err != nil {
		return nil, err
	}
	current, err := r.current(ctx)
	if err != nil {
		return nil, err
	}
	if args.Action == "" && args.NewName != "" {
		return nil, tool.Fail(tool.ValidationError, "newName is for renaming: set action to rename, or leave newName out.")
	}
	if args.Action == "" && !args.lists() {
		args.Action = "create"
	}
	switch args.Action {
	case "create":
		return r.createBranch(ctx, args.Name)
	case "delete":
		return r.deleteBranch(ctx, args.Name, current)
	case "rename":
		return r.renameBranch(ctx, args.Name, args.NewName, current)
	}
	return r.branches(ctx, current, args.Remote)
}

// current returns the branch that is checked out, even one without a commit; "" if HEAD
// is detached.
func (r *repository) current(ctx context.Context) (string, error) {
	ran, err := r.try(ctx, "symbolic-ref", "--quiet", "HEAD")
	if err != nil || ran.Code != 0 {
		return "", err
	}
	return strings.TrimPrefix(strings.TrimSpace(string(ran.Stdout)), "refs/heads/"), nil
}

func (r *repository) branches(ctx context.Context, current string, remote bool) (*branchResult, error) {
	command := []string{"for-each-ref", "--format=%(refname)%00%(symref)", "refs/heads"}
	if remote {
		command = append(command, "refs/remotes")
	}
	ran, err := r.must(ctx, command...)
	if err != nil {
		return nil, err
	}
	res := &branchResult{Branches: []branch{}, Current: strings.ToValidUTF8(current, "\uFFFD"), Success: true}
	total, cut := 0, ran.StdoutCut > 0
	for line := range strings.Lines(string(ran.Stdout)) {
		ref, link, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		name, local := strings.CutPrefix(ref, "refs/heads/")
		if !local && link != "" {
			continue // the HEAD of a remote repository
		}
		if total++; total > maxListed {
			cut = true
			continue
		}
		res.Branches = append(res.Branches, branch{
			Name: strings.ToValidUTF8(strings.TrimPrefix(name, "refs/remotes/"), "\uFFFD"), Current: local && name == current, Remote: !local,
		})
	}
	count := len(res.Branches)
	if cut {
		r.call.Note("showing %d of %d branches; git_log and git_checkout take the others by name.", count, total)
	}
	res.Count, res.Total, res.Truncated = &count, &total, &cut
	return res, nil
}

func (r *repository) createBranch(ctx context.Context, name string) (*branchResult, error) {
	if err := r.branchName(ctx, name); err != nil {
		return nil, err
	}
	head, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	if head == "" {
		return nil, tool.Fail(tool.ExecutionError,
			"There is no commit yet that a branch could point to; make one with git_commit, or use git_checkout with createBranch")
	}
	if _, err := r.must(ctx, "branch", "--no-track", "--end-of-options", name, head); err != nil {
		return nil, err
	}
	return &branchResult{Success: true, Created: name, Hash: head}, nil
}

func (r *repository) deleteBranch(ctx context.Context, name, current string) (*branchResult, error) {
	hash, err := r.existing(ctx, name)
	if err != nil {
		return nil, err
	}
	if name == current {
		return nil, tool.Fail(tool.ExecutionError, "The branch %s is checked out; switch to another with git_checkout first", name)
	}
	ran, err := r.try(ctx, "branch", "--delete", "--end-of-options", name)
	if err != nil {
		return nil, err
	}
	if ran.Code != 0 && strings.Contains(string(ran.Stderr), "not fully merged") {
		return nil, tool.Fail(tool.ExecutionError, "The branch %s has commits that no other has; it is kept, because deleting it would lose them",
			name)
	}
	if ran.Code != 0 {
		return nil, r.failure(ran)
	}
	if err := r.configure(ctx, "--remove-section", "branch."+name); err != nil {
		return nil, err
	}
	return &branchResult{Success: true, Deleted: name, Hash: hash}, nil
}

func (r *repository) renameBranch(ctx context.Context, name, to, current string) (*branchResult, error) {
	if name == "" && current == "" {
		return nil, tool.Fail(tool.ValidationError, "No branch is checked out, because HEAD is detached; say in name which branch to rename")
	}
	if name == "" {
		name = current
	}
	if name != current { // which may have no commit yet
		if _, err := r.existing(ctx, name); err != nil {
			return nil, err
		}
	}
	if to == "" {
		return nil, tool.Fail(tool.ValidationError, "newName is missing: say what to call the branch.")
	}
	if err := r.branchName(ctx, to); err != nil {
		return nil, err
	}
	if _, err := r.must(ctx, "branch", "--move", "--end-of-options", name, to); err != nil {
		return nil, err
	}
	if name == current {
		if _, err := r.must(ctx, "symbolic-ref", "HEAD", "refs/heads/"+to); err != nil {
			return nil, err
		}
	}
	if err := r.configure(ctx, "--rename-section", "branch."+name, "branch."+to); err != nil {
		return nil, err
	}
	return &branchResult{Success: true, Renamed: &renamed{From: name, To: to}}, nil
}

// existing returns the commit of a branch that must exist.
func (r *repository) existing(ctx context.Context, name string) (string, error) {
	if err := r.branchName(ctx, name); err != nil {
		return "", err
	}
	there, err := r.isBranch(ctx, name)
	if err == nil && !there {
		err = tool.Fail(tool.ExecutionError, "There is no branch %s", name)
	}
	if err != nil {
		return "", err
	}
	return r.commit(ctx, "refs/heads/"+name)
}
