package git

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type diffArgs struct {
	Path        string `json:"path,omitzero" doc:"Directory of the workspace in the repository; the workspace itself by default."`
	File        string `json:"file,omitzero" doc:"Only this file or directory, relative to path."`
	Staged      bool   `json:"staged,omitzero" doc:"Compare what is staged, not the files."`
	Commit      string `json:"commit,omitzero" doc:"Commit, branch or tag to compare with, such as HEAD~1."`
	CommitRange string `json:"commitRange,omitzero" doc:"Two commits to compare: main..topic, or main...topic for what topic changed since it left main."`
	Stat        bool   `json:"stat,omitzero" doc:"Only say how much changed in each file."`
}

type diffResult struct {
	Diff      string      `json:"diff" doc:"The differences as a patch, or a summary if stat is set."`
	Stats     diffStats   `json:"stats"`
	Options   diffOptions `json:"options"`
	Bytes     int64       `json:"bytes" doc:"Size of the whole diff."`
	Truncated bool        `json:"truncated"`
}

type diffStats struct {
	Files     int `json:"files"`
	Additions int `json:"additions" doc:"Lines that were added."`
	Deletions int `json:"deletions" doc:"Lines that were removed."`
}

type diffOptions struct {
	Staged      bool   `json:"staged"`
	Commit      string `json:"commit,omitempty"`
	CommitRange string `json:"commitRange,omitempty"`
	File        string `json:"file,omitempty"`
	Stat        bool   `json:"stat"`
}

// Present shows the differences.
func (r *diffResult) Present(res *tool.Result) {
	res.Text, res.Truncated = r.Diff, r.Truncated
	switch {
	case r.Diff == "":
		res.Text = "No differences."
	case r.Truncated:
		res.Text += "\n[cut; ask for one file, or with stat]"
	}
}

var _ = tool.Add(Set, tool.Spec[diffArgs, *diffResult]{
	Name: "git_diff",
	Description: "Show what changed in a git repository of the workspace, between files, staged changes and commits, to review it; " +
		"returns a patch and counts of lines.",
	Tags:       []string{"git", "compare", "changes", "diff", "difference", "patch", "review"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles | tool.NeedPrograms,
	Timeout:    60 * time.Second,
	Errors:     []tool.Kind{tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.NotConfigured},
	Example:    `{"path": "repo"}`,
	Run:        gitDiff,
})

func gitDiff(ctx context.Context, call *tool.Call, args diffArgs) (*diffResult, error) {
	if args.CommitRange != "" && (args.Commit != "" || args.Staged) {
		return nil, tool.Fail(tool.ValidationError, "commitRange compares two commits: leave out commit and staged.")
	}
	r, err := open(ctx, call, args.Path, false)
	if err != nil {
		return nil, err
	}
	if r.bare && args.CommitRange == "" {
		return nil, tool.Fail(tool.ValidationError, "%s is a bare repository without files: compare two commits with commitRange", r.top)
	}
	what, err := r.compared(ctx, &args)
	if err != nil {
		return nil, err
	}
	form := "--patch"
	if args.Stat {
		form = "--stat"
	}
	patch, err := r.do(ctx, order{args: differences(form, what), most: maxText})
	if err == nil && patch.Code != 0 && !patch.Flooded {
		err = r.failure(patch)
	}
	if err != nil {
		return nil, err
	}
	counts, err := r.try(ctx, differences("--numstat", what)...)
	if err != nil {
		return nil, err
	}
	res := &diffResult{
		Diff: r.text(patch.Stdout), Stats: count(string(counts.Stdout)),
		Options:   diffOptions{args.Staged, args.Commit, args.CommitRange, args.File, args.Stat},
		Bytes:     int64(len(patch.Stdout)) + patch.StdoutCut,
		Truncated: patch.StdoutCut > 0 || patch.Flooded || counts.StdoutCut > 0,
	}
	if res.Truncated {
		call.Note("showing the first %d of %d bytes; set file to one of those in stats, or stat for their list alone.",
			len(patch.Stdout), res.Bytes)
	}
	return res, nil
}

// differences returns the arguments of a git diff that runs no program and whose format
// does not depend on the repository's settings.
func differences(form string, what []string) []string {
	args := []string{
		"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--submodule=short", "--ignore-submodules=dirty",
		"--src-prefix=a/", "--dst-prefix=b/", "-M",
	}
	switch form {
	case "--numstat":
		args = append(args, "-z")
	case "--patch":
		args = append(args, "-U3")
	}
	return append(append(args, form), what...)
}

// compared returns the arguments that select what is compared.
func (r *repository) compared(ctx context.Context, args *diffArgs) (what []string, err error) {
	if args.Staged {
		what = append(what, "--cached")
	}
	switch {
	case args.CommitRange != "":
		span, err := r.span(ctx, args.CommitRange)
		if err != nil {
			return nil, err
		}
		what = append(what, span)
	case args.Commit != "":
		hash, err := r.commit(ctx, args.Commit)
		if err != nil {
			return nil, err
		}
		what = append(what, hash)
	}
	what = append(what, "--")
	if args.File != "" {
		file, err := r.inside(args.File)
		if err != nil {
			return nil, err
		}
		what = append(what, file)
	}
	return what, nil
}

// count parses the output of --numstat -z: added, removed and name of each file. The
// name of a renamed file is empty and its two names follow. Binary files have no lines.
// A file with conflicts is listed twice.
func count(text string) (s diffStats) {
	entries := strings.Split(text, "\x00")
	last := ""
	for i := 0; i < len(entries)-1; i++ {
		parts := strings.SplitN(entries[i], "\t", 3)
		if len(parts) != 3 {
			continue
		}
		if parts[2] == "" {
			i += 2
		}
		added, _ := strconv.Atoi(parts[0])
		removed, _ := strconv.Atoi(parts[1])
		if parts[2] == "" || parts[2] != last {
			s.Files++
		}
		last = parts[2]
		s.Additions += added
		s.Deletions += removed
	}
	return s
}
