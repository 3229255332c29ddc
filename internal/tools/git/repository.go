package git

import (
	"bytes"
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// repository is a repository of the workspace, opened for one call.
type repository struct {
	call   *tool.Call
	writes bool // the call may change it

	top    string // in the workspace: the directory of its files, or the bare repository itself
	prefix string // in the repository: the directory that the call named
	bare   bool

	root   string // the host's path of the workspace; never shown
	gitDir string // the host's path of the repository's data
	common string // that of the data which it shares with other worktrees
	config string // the configuration under which git runs
	env    []string
}

// open finds the repository that contains a directory of the workspace.
func open(ctx context.Context, call *tool.Call, dir string, writes bool) (*repository, error) {
	r := &repository{call: call, writes: writes}
	if dir == "" {
		dir = "."
	}
	if err := r.find(dir); err != nil {
		return nil, err
	}
	r.env = environment(call, r.bare, writes)
	if err := r.locate(ctx); err != nil {
		return nil, err
	}
	var err error
	r.config, err = r.settings(ctx)
	return r, err
}

// withFiles is open for a call that needs a working tree.
func withFiles(ctx context.Context, call *tool.Call, dir string, writes bool) (*repository, error) {
	r, err := open(ctx, call, dir, writes)
	if err == nil && r.bare {
		return nil, tool.Fail(tool.ValidationError, "%s is a bare repository: it has a history, but no files to work on", r.top)
	}
	return r, err
}

// find walks up from dir to the root of a repository. Git would do the same, but trust
// the repository's own statement about the location of its files.
func (r *repository) find(dir string) error {
	info, err := r.call.Files.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return tool.Fail(tool.ValidationError, "Path is a file, not a directory: %s", dir)
	}
	named := path.Clean(dir)
	for at := named; ; at = path.Dir(at) {
		if r.there(path.Join(at, ".git")) {
			r.top = at
			r.prefix = strings.TrimPrefix(strings.TrimPrefix(named, at), "/")
			if at == "." && named != "." {
				r.prefix = named
			}
			return nil
		}
		if r.there(path.Join(at, "HEAD")) && r.there(path.Join(at, "objects")) && r.there(path.Join(at, "refs")) {
			r.top, r.bare = at, true
			return nil
		}
		if at == "." {
			return tool.Fail(tool.ExecutionError,
				"Not a git repository: neither %s nor a directory above it in the workspace has a .git; name the directory of one in path", dir)
		}
	}
}

func (r *repository) there(name string) bool {
	_, err := r.call.Files.Stat(name)
	return err == nil
}

// locate asks git for the locations it reads from, and refuses those outside the
// workspace: a .git that points elsewhere, or borrowed objects.
func (r *repository) locate(ctx context.Context) error {
	git := path.Join(r.top, ".git")
	if r.bare {
		git = r.top
	}
	ran, err := r.do(ctx, order{
		args: []string{"rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel"},
		// With the top directory of the workspace as the working tree, this prints the
		// location of the workspace.
		dir: ".", env: []string{"GIT_DIR=" + git, "GIT_WORK_TREE=."}, plain: true,
	})
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(ran.Stdout), "\n"), "\n")
	if ran.Code != 0 || len(lines) != 3 {
		return tool.Fail(tool.ExecutionError,
			"Not a git repository that can be read: %s. Its .git is damaged, or points to what is not in the workspace", r.top).Because(hidden(ran))
	}
	r.gitDir, r.common, r.root = lines[0], lines[1], lines[2]
	for _, dir := range []string{r.gitDir, r.common} {
		if !r.within(dir) {
			return tool.Fail(tool.PathNotAllowed, "Access denied: the repository %s keeps its data outside the workspace", r.top)
		}
	}
	return r.noBorrowing(r.common + "/objects")
}

func (r *repository) within(dir string) bool {
	return path.Clean(dir) == r.root || strings.HasPrefix(path.Clean(dir), r.root+"/")
}

// own converts a host path within the workspace to a workspace path.
func (r *repository) own(dir string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path.Clean(dir), r.root), "/")
}

const (
	maxAlternates = 64 << 10 // bytes of a list of alternates
	maxBorrowing  = 20       // number of such lists
)

// noBorrowing refuses a repository that reads objects from outside the workspace,
// through a link or through the alternates of a repository from which it borrows.
func (r *repository) noBorrowing(objects string) error {
	seen := []string{objects}
	for i := 0; i < len(seen); i++ {
		if i == maxBorrowing {
			return tool.Fail(tool.ExecutionError, "The repository %s borrows objects from too many others", r.top)
		}
		if _, err := r.call.Files.Stat(r.own(seen[i])); err != nil && tool.AsError(err).Kind == tool.PathNotAllowed {
			return r.borrows(err)
		}
		list, err := r.alternates(seen[i])
		if err != nil {
			return err
		}
		for line := range bytes.Lines(list) {
			from := meant(string(bytes.TrimSuffix(line, []byte("\n"))))
			if from == "" || from[0] == '#' {
				continue
			}
			if !path.IsAbs(from) {
				from = path.Join(seen[i], from)
			}
			if !r.within(from) {
				return r.borrows(nil)
			}
			if !slices.Contains(seen, path.Clean(from)) {
				seen = append(seen, path.Clean(from))
			}
		}
	}
	return nil
}

func (r *repository) borrows(cause error) error {
	return tool.Fail(tool.PathNotAllowed, "Access denied: the repository %s borrows objects from outside the workspace", r.top).Because(cause)
}

// alternates returns the places from which a directory of objects borrows.
func (r *repository) alternates(objects string) ([]byte, error) {
	f, err := r.call.Files.Open(r.own(objects + "/info/alternates"))
	if err != nil {
		if tool.AsError(err).Kind == tool.FileNotFound {
			return nil, nil
		}
		return nil, r.borrows(err)
	}
	defer f.Close()
	list, err := io.ReadAll(io.LimitReader(f, maxAlternates+1))
	if len(list) > maxAlternates {
		err = r.borrows(nil)
	}
	return list, err
}
