package git

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type checkoutArgs struct {
	Path         string `json:"path,omitzero" doc:"Directory of the workspace in the repository; the workspace itself by default."`
	Target       string `json:"target" min:"1" doc:"Branch to switch to or to create; a tag or commit to look at; with file, where to take it from, such as HEAD."`
	File         string `json:"file,omitzero" doc:"Only restore this file or directory, relative to path, and stay on the branch."`
	CreateBranch bool   `json:"createBranch,omitzero" doc:"Create target as a new branch and switch to it."`
}

type checkoutResult struct {
	Success   bool   `json:"success"`
	Output    string `json:"output" doc:"What was done."`
	Target    string `json:"target"`
	NewBranch bool   `json:"newBranch"`
	Saved     string `json:"saved,omitempty" doc:"Commit with what a restored file held before, if that was in no commit."`
}

var _ = tool.Add(Set, tool.Spec[checkoutArgs, *checkoutResult]{
	Name: "git_checkout",
	Description: "Switch a git repository in the workspace to a branch, tag or commit, or restore a file from one; " +
		"changes that would be lost stop the switch, or are saved as a commit first.",
	Tags:       []string{"git", "switch", "checkout", "change branch", "restore", "new branch", "revert file"},
	Risk:       tool.Low,
	Mutates:    true,
	Idempotent: false,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles | tool.NeedPrograms,
	Timeout:    60 * time.Second,
	Errors:     []tool.Kind{tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.NotConfigured},
	Example:    `{"path": "repo", "target": "topic", "createBranch": true}`,
	Run:        gitCheckout,
})

func gitCheckout(ctx context.Context, call *tool.Call, args checkoutArgs) (*checkoutResult, error) {
	if args.File != "" && args.CreateBranch {
		return nil, tool.Fail(tool.ValidationError, "A file is restored on the branch that is checked out: leave out file or createBranch.")
	}
	r, err := withFiles(ctx, call, args.Path, true)
	if err != nil {
		return nil, err
	}
	if err := r.notAFile(ctx, &args); err != nil {
		return nil, err
	}
	res := &checkoutResult{Success: true, Target: args.Target, NewBranch: args.CreateBranch}
	// An ignored file may be valuable too: git would overwrite it silently. And without
	// --quiet git looks for changes in submodules by running git there.
	command := []string{"checkout", "--quiet", "--no-recurse-submodules", "--no-overwrite-ignore"}
	switch {
	case args.File != "":
		command, err = r.restoring(ctx, &args, res)
	case args.CreateBranch:
		err = r.branchName(ctx, args.Target)
		command = append(command, "--no-track", "-b", args.Target)
	case r.isHere(ctx, args.Target):
		return r.stay(ctx, res)
	default:
		command, err = r.switching(ctx, command, args.Target)
	}
	if err != nil {
		return nil, err
	}
	ran, err := r.try(ctx, command...)
	if err == nil && ran.Code != 0 {
		err = r.notCheckedOut(ctx, ran)
	}
	if err != nil && res.Saved != "" {
		failure := tool.AsError(err)
		failure.Msg += "\nWhat was there before is in commit " + res.Saved
	}
	if err != nil {
		return nil, err
	}
	if slices.Contains(command, guessing) {
		err = r.track(ctx, args.Target)
	}
	if err != nil {
		return nil, err
	}
	res.Output, err = r.outcome(ctx, &args)
	if res.Saved != "" {
		res.Output += "\nWhat was there before is in commit " + res.Saved + "; restore it from there with git_checkout."
	}
	return res, err
}

// notAFile refuses a target that is the name of a file and of no branch: a caller who
// wants to restore the file must not leave the branch, even if there is a commit of
// that name.
func (r *repository) notAFile(ctx context.Context, args *checkoutArgs) error {
	if args.File != "" || args.CreateBranch {
		return nil
	}
	if local, err := r.isBranch(ctx, args.Target); err != nil || local {
		return err
	}
	file, err := r.inside(args.Target)
	if err != nil || file == "." {
		return nil //nolint:nilerr // it is no file, and what else it is git will say
	}
	ran, err := r.try(ctx, "ls-files", "-z", "--", file)
	if err != nil || len(ran.Stdout) == 0 {
		return err
	}
	return tool.Fail(tool.ValidationError, "%s is a file: give it as file, with the commit to take it from as target, such as HEAD",
		clip(args.Target, 100))
}

// notCheckedOut returns the error with its reason and the remedy. Git lists the
// conflicting files behind tabs.
func (r *repository) notCheckedOut(ctx context.Context, ran tool.Ran) error {
	if s, err := r.status(ctx); err == nil && len(s.conflicted) > 0 {
		return unresolved(s)
	}
	var inTheWay []string
	for line := range strings.Lines(string(ran.Stderr)) {
		if name, ok := strings.CutPrefix(line, "\t"); ok {
			inTheWay = append(inTheWay, strings.TrimSuffix(name, "\n"))
		}
	}
	if len(inTheWay) == 0 {
		return r.failure(ran)
	}
	return tool.Fail(tool.ExecutionError,
		"What no commit holds of %s would be lost; keep it with git_add and git_commit, or move it away, and check out then",
		clip(strings.Join(inTheWay, ", "), maxReason)).Because(hidden(ran))
}

// outcome returns the description of a checkout in git's words.
func (r *repository) outcome(ctx context.Context, args *checkoutArgs) (string, error) {
	if args.File != "" {
		return fmt.Sprintf("Restored %s from %s", shown(meant(args.File)), args.Target), nil
	}
	branch, err := r.current(ctx)
	switch {
	case err != nil:
		return "", err
	case args.CreateBranch:
		return "Switched to a new branch '" + branch + "'", nil
	case branch != "":
		return "Switched to branch '" + branch + "'", nil
	}
	head, err := r.head(ctx)
	return "HEAD is now at " + head[:min(len(head), 12)] + ", on no branch", err
}

// switching returns the arguments to switch to a target: a local branch, a branch that
// only a remote repository has, or any commit, without a branch.
func (r *repository) switching(ctx context.Context, command []string, target string) ([]string, error) {
	if target == "-" { // in the form that people write
		target = "@{-1}"
	}
	if strings.HasPrefix(target, "@{-") {
		if ran, err := r.try(ctx, "rev-parse", "--symbolic-full-name", "--verify", "--quiet", target); err == nil && ran.Code == 0 {
			if name, ok := strings.CutPrefix(strings.TrimSpace(string(ran.Stdout)), "refs/heads/"); ok {
				target = name
			}
		}
	}
	if err := plausible(target); err != nil {
		return nil, err
	}
	local, err := r.isBranch(ctx, target)
	if err != nil {
		return nil, err
	}
	for _, prefix := range []string{"refs/heads/", "heads/"} { // a branch by its longer names
		name, long := strings.CutPrefix(target, prefix)
		if there, _ := r.isBranch(ctx, name); long && !local && there {
			target, local = name, true
		}
	}
	if local {
		return append(command, "--no-guess", target, "--"), nil
	}
	hash, unknown := r.commit(ctx, target)
	if unknown == nil {
		return append(command, "--detach", hash, "--"), nil
	}
	if r.branchName(ctx, target) != nil {
		return nil, unknown
	}
	ran, err := r.try(ctx, "for-each-ref", "--count=1", "--format=%(refname)", "refs/remotes/*/"+target)
	if err != nil {
		return nil, err
	}
	if len(ran.Stdout) == 0 {
		return nil, tool.Fail(tool.ValidationError, "Unknown branch, tag or commit: %s; createBranch makes a new branch", clip(target, 100))
	}
	return append(command, guessing, target, "--"), nil
}

// guessing is the option to create the branch that only a remote repository has.
const guessing = "--guess"

// track records in the repository's configuration the branch that a new one follows, which
// git has recorded in the view only.
func (r *repository) track(ctx context.Context, branch string) error {
	ran, err := r.must(ctx, "for-each-ref", "--format=%(refname)", "refs/remotes/*/"+branch)
	if err != nil {
		return err
	}
	ref, _, _ := strings.Cut(string(ran.Stdout), "\n")
	remote, _ := strings.CutSuffix(strings.TrimPrefix(ref, "refs/remotes/"), "/"+branch)
	if err := r.configure(ctx, "branch."+branch+".remote", remote); err != nil {
		return err
	}
	return r.configure(ctx, "branch."+branch+".merge", "refs/heads/"+branch)
}

// isHere reports whether a target is another way of writing what is checked out: HEAD, @,
// HEAD^0.
func (r *repository) isHere(ctx context.Context, target string) bool {
	name := target
	if end := strings.IndexAny(target, "~^"); end >= 0 {
		name = target[:end]
	}
	if name != "HEAD" && name != "@" {
		return false
	}
	hash, err := r.commit(ctx, target)
	head, failed := r.head(ctx)
	return target == name || err == nil && failed == nil && hash == head
}

// stay reports what is checked out. HEAD is there already, and git would leave the branch
// for the commit.
func (r *repository) stay(ctx context.Context, res *checkoutResult) (*checkoutResult, error) {
	branch, err := r.current(ctx)
	if err != nil {
		return nil, err
	}
	if branch != "" {
		res.Output = "Already on '" + branch + "'; to restore a file from HEAD, name it in file"
		return res, nil
	}
	head, err := r.head(ctx)
	res.Output = "HEAD is at " + head[:min(len(head), 12)] + " already, on no branch"
	return res, err
}

// restoring returns the arguments to restore a file. Contents that would be lost are
// saved first.
func (r *repository) restoring(ctx context.Context, args *checkoutArgs, res *checkoutResult) ([]string, error) {
	file, err := r.inside(args.File)
	if err != nil {
		return nil, err
	}
	hash, err := r.commit(ctx, args.Target)
	if err != nil {
		return nil, err
	}
	ran, err := r.try(ctx, "ls-tree", "-z", "--full-tree", "--name-only", hash, "--", file)
	if err != nil {
		return nil, err
	}
	if file != "." && len(ran.Stdout) == 0 {
		return nil, tool.Fail(tool.FileNotFound, "%s has no file %s", clip(args.Target, 100), shown(file))
	}
	res.Saved, err = r.save(ctx, file)
	return []string{"checkout", "--quiet", "--no-recurse-submodules", hash, "--", file}, err
}
