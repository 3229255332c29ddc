package git

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// saved is the ref prefix of commits that keep the previous contents of restored files.
// Git lists them under no branch, and does not garbage-collect them.
const saved = "refs/helve/saved/"

// save commits the working and the staged contents of a file unless a commit already
// has them; it returns "" if there was nothing to save. It changes neither the files,
// nor the index, nor the branch.
func (r *repository) save(ctx context.Context, file string) (string, error) {
	ran, err := r.must(ctx, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored=traditional", "--ignore-submodules=dirty",
		"--no-renames", "--", file)
	if err != nil || len(ran.Stdout) == 0 {
		return "", err
	}
	lost := changed(string(ran.Stdout))
	parent, err := r.head(ctx)
	if err != nil {
		return "", err
	}
	// The staged contents come first. During a conflict there is no such tree, and the
	// parts are in commits already.
	staged, err := r.try(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	if staged.Code == 0 {
		if parent, err = r.keep(ctx, staged, parent, "What was staged before a file was restored", nil); err != nil {
			return "", err
		}
	}
	name := fmt.Sprintf("helve-index-%d-%s", r.call.Clock.Now().UnixNano(), strings.Map(plain, r.call.ID))
	index := []string{"GIT_INDEX_FILE=" + r.gitDir + "/" + name}
	defer func() { _ = r.call.Files.Discard(context.WithoutCancel(ctx), path.Join(r.own(r.gitDir), name)) }()
	base := []string{"read-tree", "--empty"}
	if parent != "" {
		base = []string{"read-tree", parent}
	}
	ran, err = r.do(ctx, order{args: base, env: index})
	if err == nil && ran.Code == 0 {
		if len(lost) > 0 {
			err = r.index(ctx, lost, index)
		}
		if err == nil {
			ran, err = r.do(ctx, order{args: []string{"write-tree"}, env: index})
		}
	}
	if err != nil || ran.Code != 0 {
		return "", tool.Fail(tool.ExecutionError, "%s has changes that could not be saved, so it was left alone; commit or move it first",
			shown(file)).Because(errors.Join(err, hidden(ran)))
	}
	hash, err := r.keep(ctx, ran, parent, "What was there before a file was restored", index)
	if err != nil {
		return "", err
	}
	_, err = r.must(ctx, "update-ref", saved+hash, hash)
	return hash, err
}

// keep creates a commit of a tree.
func (r *repository) keep(ctx context.Context, tree tool.Ran, parent, message string, env []string) (string, error) {
	args := []string{"commit-tree", "--no-gpg-sign", "-m", message}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	now := fmt.Sprintf("@%d +0000", r.call.Clock.Now().Unix())
	ran, err := r.do(ctx, order{
		args: append(args, strings.TrimSpace(string(tree.Stdout))),
		env:  append([]string{"GIT_AUTHOR_DATE=" + now, "GIT_COMMITTER_DATE=" + now}, env...),
	})
	if err == nil && ran.Code != 0 {
		err = r.failure(ran)
	}
	return strings.TrimSpace(string(ran.Stdout)), err
}

// plain keeps the characters of an id that a ref name may contain.
func plain(c rune) rune {
	if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		return c
	}
	return -1
}
