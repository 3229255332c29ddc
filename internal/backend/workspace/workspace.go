// Package workspace keeps the files of tenants and users on disk and hands
// them to tools as [tool.Files].
//
// Every operation opens the directory of its tenant and user as an [os.Root]
// and closes it again: paths, links and renames by others cannot lead out of
// it, no descriptor is held between calls, and a directory that the operator
// replaced or restored is the one in use at once.
//
// # What it promises
//
// Write replaces a file in one step: readers see the old file or the new one
// whole, and whatever fails (the source, the disk, the process) leaves the old.
// The new contents are flushed before they get the name, so a power cut does
// not leave an empty file either; which of the two is there afterwards is not
// promised. Append is one write at the end of the file, safe for many
// processes at once. Nothing but files and directories is opened, so a pipe or
// a device cannot hold a call. Failures carry a kind and never a path of the
// host. Scopes given to For hold against every spelling of a path and against
// links, also those that are swapped in while a file is used.
//
// Create and Move replace nothing, also where several want the same name at once,
// except that a directory can take the place of an empty one that is made in the
// very moment it moves.
//
// # What it does not promise
//
// There are no quotas. Trees are walked and removed 256 directories deep. In a
// workspace limited by scopes, a hard link is the file it names, and a directory
// on the way of a Rename that somebody replaces by a link in that very moment may
// send it elsewhere in the workspace. A process that dies in a Move can leave the
// file with both names. An append that meets a full disk can leave a part, and
// says so. An append while the file is being replaced may go to the old file.
// On file systems that ignore case, names that differ only in it are the same,
// those of tenants and users included.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/helve-dev/helve/internal/scope"
	"github.com/helve-dev/helve/tool"
)

// Workspaces is a directory with one workspace for each user of each tenant.
// It is safe for concurrent use, also by several processes on one disk.
type Workspaces struct{ dir string }

// New returns the workspaces under dataDir/workspaces, which is made if it is
// not there. Its errors are for the operator and show host paths.
func New(dataDir string) (*Workspaces, error) {
	dir, err := filepath.Abs(filepath.Join(dataDir, "workspaces"))
	if err != nil {
		return nil, fmt.Errorf("workspaces: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // the operator names the directory
		return nil, fmt.Errorf("workspaces: %w", err)
	}
	return &Workspaces{dir: dir}, nil
}

var owner = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// For returns the files of a user, or with an empty user those the tenant's
// anonymous calls share (they are user "_"). It touches no disk; the directory
// is made when it is first used. A name that is not 1 to 64 letters, digits,
// "_" or "-" is a validation_error.
//
// With scopes that restrict paths, each operation reaches only what is within
// all of them and fails elsewhere with path_not_allowed. Links are then refused
// wherever they lead, except that Remove and Rename act on a link itself. The
// directories on the way to what is within reach can be described and made, and
// their listing shows only what is within reach or leads there. A directory is
// moved only if everything below it is within reach, in both places.
func (w *Workspaces) For(tenant, user string, within ...tool.Scopes) (tool.Files, error) {
	dir, err := w.place(tenant, user)
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir}
	if !scope.AnyPath(within...) {
		f.scopes = slices.Clone(within)
	}
	return f, nil
}

// Dir is where the workspace of a user lies on this host, for those who must name
// it to others, such as programs that run in it. It is made if it is not there.
func (w *Workspaces) Dir(tenant, user string) (string, error) {
	dir, err := w.place(tenant, user)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", failure("open", "the workspace", err)
	}
	return dir, nil
}

func (w *Workspaces) place(tenant, user string) (string, error) {
	if user == "" {
		user = "_"
	}
	for _, name := range []string{tenant, user} {
		if !owner.MatchString(name) {
			return "", tool.Fail(tool.ValidationError, "tenant and user must match %s", owner)
		}
	}
	return filepath.Join(w.dir, tenant, user), nil
}

// folder is one workspace, or with scopes what of it is within them.
type folder struct {
	dir    string
	scopes []tool.Scopes
}

// root opens the workspace, and makes it before its first use.
func (f *folder) root() (*os.Root, error) {
	root, err := os.OpenRoot(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(f.dir, 0o700); err == nil {
			root, err = os.OpenRoot(f.dir)
		}
	}
	if err != nil {
		return nil, failure("open", "the workspace", err)
	}
	return root, nil
}
