package git

import (
	"cmp"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/gitview"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

const (
	maxOutput = 4 << 20 // for a list that is parsed
	maxText   = 256 << 10
	maxReason = 500
	// grace lets git remove its locks when the call ends.
	grace = time.Second
)

// order is one run of git.
type order struct {
	args  []string
	dir   string // in the workspace; the repository's directory if empty
	stdin io.Reader
	env   []string
	most  int
	plain bool // without the view of the repository, for what runs nothing
}

// try runs git and returns any outcome.
func (r *repository) try(ctx context.Context, args ...string) (tool.Ran, error) {
	return r.do(ctx, order{args: args})
}

func (r *repository) do(ctx context.Context, o order) (tool.Ran, error) {
	name, args := "git", append([]string{"--no-pager"}, o.args...)
	if !o.plain {
		name, args = "sh", gitview.Shell(r.common, r.config, args...)
	}
	return r.call.Programs.Run(ctx, tool.Program{
		Name: name, Args: args, Dir: cmp.Or(o.dir, r.top),
		Env: slices.Concat(r.env, o.env), Stdin: o.stdin, MaxOutput: cmp.Or(o.most, maxOutput),
		ReadOnly: !r.writes, Grace: grace,
	})
}

// must is try for a run whose failure fails the call.
func (r *repository) must(ctx context.Context, args ...string) (tool.Ran, error) {
	ran, err := r.try(ctx, args...)
	if err == nil && ran.Code != 0 {
		err = r.failure(ran)
	}
	return ran, err
}

// unmatched matches git's error for a file that does not exist.
var unmatched = regexp.MustCompile(`(?s)pathspec '(.*?)' did not match any file`)

// failure converts git's error message to an error of a known kind.
func (r *repository) failure(ran tool.Ran) error {
	if name := unmatched.FindSubmatch(ran.Stderr); name != nil {
		return tool.Fail(tool.FileNotFound, "The repository has no file %s; name files as git_status lists them, relative to path",
			clip(shown(string(name[1])), maxReason)).Because(hidden(ran))
	}
	said := r.said(string(ran.Stderr) + "\n" + string(ran.Stdout))
	switch {
	case strings.Contains(said, "is outside repository"), strings.Contains(said, "beyond a symbolic link"):
		return tool.Fail(tool.PathNotAllowed, "Access denied: %s", said)
	case said == "":
		said = "git ended without saying why"
	}
	return tool.Fail(tool.ExecutionError, "%s", said).Because(hidden(ran))
}

// hidden returns the full error output of git, for the operator.
func hidden(ran tool.Ran) error {
	return errors.New(clip(string(ran.Stderr), maxReason))
}

// absolute matches a host path anywhere in a message.
var absolute = regexp.MustCompile(`(^|[\s'"(:=])/[^\s'":;,)]+`)

// said returns a message of git without host paths.
func (r *repository) said(text string) string {
	if r.root != "" {
		text = strings.ReplaceAll(text, r.root+"/", "")
		text = strings.ReplaceAll(text, r.root, ".")
	}
	lines := strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' })
	for i, line := range lines {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
		lines[i] = absolute.ReplaceAllString(line, "$1…")
	}
	return clip(strings.TrimSpace(strings.Join(lines, "\n")), maxReason)
}

// text returns git's human-readable output.
func (r *repository) text(out []byte) string {
	s := strings.ToValidUTF8(string(out), "\uFFFD")
	if r.root != "" {
		s = strings.ReplaceAll(s, r.root+"/", "")
	}
	return s
}

// clip shortens a text to a number of bytes.
func clip(s string, most int) string { return textcut.Clip(strings.ToValidUTF8(s, "\uFFFD"), most) }
