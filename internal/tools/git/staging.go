package git

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// stage adds files, or everything below directories, to the index: changed and deleted
// files and, if untracked is set, new ones. Git's own commands for this look into
// submodules by running git there, with whatever programs are configured. So git first
// lists the changes, and then gets each name.
func (r *repository) stage(ctx context.Context, files []string, untracked bool) error {
	args := []string{"status", "--porcelain=v2", "-z", "--ignore-submodules=dirty", "--no-renames", "--untracked-files=no"}
	if untracked {
		args[len(args)-1] = "--untracked-files=all"
	}
	ran, err := r.do(ctx, order{args: append(append(args, "--"), files...), most: maxChanges})
	if err == nil && ran.Code != 0 {
		err = r.failure(ran)
	}
	if err == nil && (ran.StdoutCut > 0 || ran.Flooded) {
		err = tool.Fail(tool.ExecutionError, "Too many files have changed to stage them at once; name directories one by one")
	}
	if err != nil {
		return err
	}
	names := changed(string(ran.Stdout))
	if len(names) == 0 {
		return nil
	}
	return r.index(ctx, names, nil)
}

// maxChanges limits the names of files that are staged together, in bytes.
const maxChanges = 32 << 20

// index makes git add files to an index.
func (r *repository) index(ctx context.Context, names, env []string) error {
	ran, err := r.do(ctx, order{
		args: []string{"update-index", "--add", "--remove", "-z", "--stdin"}, env: env,
		stdin: strings.NewReader(strings.Join(names, "\x00") + "\x00"), most: maxText,
	})
	if err == nil && ran.Code != 0 {
		err = r.failure(ran)
	}
	return err
}

// changed returns the files that a status lists as different from the index. A
// directory that is a repository of its own ends in a slash there.
func changed(text string) (names []string) {
	for entry := range strings.SplitSeq(text, "\x00") {
		kind, rest, _ := strings.Cut(entry, " ")
		fields, ok := map[string]int{"1": 7, "u": 9, "?": 0, "!": 0}[kind]
		parts := strings.SplitN(rest, " ", fields+1)
		if !ok || len(parts) != fields+1 || kind == "1" && strings.HasSuffix(parts[0], ".") {
			continue
		}
		names = append(names, strings.TrimSuffix(parts[fields], "/"))
	}
	return names
}

// known fails for a file that neither exists nor is tracked, and for an ignored file,
// because a caller who names it expects it to be staged.
func (r *repository) known(ctx context.Context, files []string) error {
	// This command has no literal pathspecs; after ./ it accepts every name as one.
	ignored, err := r.do(ctx, order{
		args: []string{"check-ignore", "-z", "--stdin"}, env: []string{"GIT_LITERAL_PATHSPECS=0"},
		stdin: strings.NewReader("./" + strings.Join(files, "\x00./") + "\x00"),
	})
	if err != nil {
		return err
	}
	const none = 1
	switch name, _, _ := strings.Cut(string(ignored.Stdout), "\x00"); {
	case name != "":
		return tool.Fail(tool.ExecutionError, "%s is ignored by a .gitignore of the repository; change that to stage it",
			shown(strings.TrimPrefix(name, "./")))
	case ignored.Code != none:
		return r.failure(ignored)
	}
	// A directory may be empty.
	named := slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		info, err := r.call.Files.Stat(path.Join(r.top, file))
		return err == nil && info.IsDir()
	})
	if len(named) == 0 {
		return nil
	}
	listed, err := r.do(ctx, order{
		args: append([]string{"ls-files", "-z", "--error-unmatch", "--cached", "--others", "--exclude-standard", "--"}, named...), most: maxText,
	})
	if err == nil && listed.Code != 0 {
		err = r.failure(listed)
	}
	return err
}
