package git

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// maxRevision limits the name of a commit, in bytes.
const maxRevision = 500

// commit returns the hash of a revision.
func (r *repository) commit(ctx context.Context, revision string) (string, error) {
	if err := plausible(revision); err != nil {
		return "", err
	}
	ran, err := r.try(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", err
	}
	hash := strings.TrimSpace(string(ran.Stdout))
	if ran.Code != 0 || strings.Trim(hash, "0123456789abcdef") != "" || hash == "" {
		return "", tool.Fail(tool.ValidationError, "Unknown branch, tag or commit: %s", clip(revision, 100))
	}
	return hash, nil
}

func plausible(revision string) error {
	switch {
	case revision == "":
		return tool.Fail(tool.ValidationError, "The revision is empty; name a branch, a tag or a commit")
	case len(revision) > maxRevision, strings.ContainsAny(revision, "\x00\n\r"), strings.HasPrefix(revision, "-"):
		return tool.Fail(tool.ValidationError, "Not the name of a branch, a tag or a commit: %s", clip(revision, 100))
	}
	return nil
}

// span returns the two commits of a range such as main..topic or main...topic; a
// missing side means HEAD.
func (r *repository) span(ctx context.Context, text string) (string, error) {
	dots := ".."
	if strings.Contains(text, "...") {
		dots = "..."
	}
	from, to, ok := strings.Cut(text, dots)
	if !ok || from == "" && to == "" {
		return "", tool.Fail(tool.ValidationError, "A range of commits is written main..topic or main...topic, not %s", clip(text, 100))
	}
	ends := []*string{&from, &to}
	for _, end := range ends {
		if *end == "" {
			*end = "HEAD"
		}
		hash, err := r.commit(ctx, *end)
		if err != nil {
			return "", err
		}
		*end = hash
	}
	return from + dots + to, nil
}

// head returns the commit that is checked out, "" if there is none yet.
func (r *repository) head(ctx context.Context) (string, error) {
	ran, err := r.try(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil || ran.Code != 0 {
		return "", err
	}
	return strings.TrimSpace(string(ran.Stdout)), nil
}

// branchName refuses an invalid name.
func (r *repository) branchName(ctx context.Context, name string) error {
	if name == "" {
		return tool.Fail(tool.ValidationError, "The name of the branch is missing")
	}
	refused := tool.Fail(tool.ValidationError, "Not a valid name for a branch: %s", clip(name, 100))
	if len(name) > 200 || name == "HEAD" || strings.HasPrefix(name, "-") || strings.ContainsRune(name, 0) ||
		name != strings.ToValidUTF8(name, "") {
		return refused
	}
	ran, err := r.try(ctx, "check-ref-format", "refs/heads/"+name)
	if err == nil && ran.Code != 0 {
		err = refused
	}
	return err
}

// isBranch reports whether there is a local branch of that name.
func (r *repository) isBranch(ctx context.Context, name string) (bool, error) {
	ran, err := r.try(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+name)
	return err == nil && ran.Code == 0, err
}
