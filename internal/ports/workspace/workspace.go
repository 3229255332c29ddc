// Package workspace stores the files of tenants and users on disk and implements
// [tool.Files].
//
// Every operation opens the directory of its tenant and user as an [os.Root] and closes
// it again: paths, links and renames by others cannot lead out of it, no descriptor is
// held between calls, and a directory that the operator replaced or restored is used
// immediately.
//
// # What it promises
//
// Write replaces a file in one step: readers see either the complete old file or the
// complete new one, and any failure (of the source, the disk, the process) leaves the
// old one. The new contents are flushed before they get the name, so a power cut does
// not leave an empty file either; which of the two is there afterwards is not promised.
// Append is one write at the end of the file, safe for concurrent processes. Nothing
// but files and directories is opened, so a pipe or a device cannot hold a call.
// Failures carry a kind and never a path of the host. Scopes passed to For apply to
// every spelling of a path and to links, even links that are swapped in while a file is
// used.
//
// Create and Move replace nothing, even under concurrency, except that a directory can
// replace an empty directory that is created at the very moment of the move.
//
// What Write, Restore, Rename and Remove replace or remove is kept as an earlier
// version of the file at that path, within the [Limits], the oldest removed first. Of
// several writers of one file, also on several workers, each keeps what it replaced, if
// the system can exchange two files (Linux, not NFS); otherwise a version written
// during another write may be lost. Versions are beside the workspace, where no path,
// link or program can reach them, and count towards its limits; they are removed to
// make room when it is full.
//
// A write beyond the limits fails before it is complete. A workspace is counted before
// the first write, every 30 s while it is written to, and before a write is refused; a
// count takes 5 s and a hundredth of the time at most, or a tenth while writes are
// refused. Between counts, the writes of other processes are not seen, so several
// workers together can exceed the limits by what they write in that time.
//
// # What it does not promise
//
// An append keeps no version, nor does the removal of a directory, and nothing that is
// larger than all versions may be. A process that dies in a write may lose the version,
// not the file. Links and directories count as one file without bytes, and a file with
// two names as two. Trees are walked and removed 256 directories deep. In a workspace
// limited by scopes, a hard link is the file it names, and a directory on the way of a
// Rename that somebody replaces by a link in that very moment may send it elsewhere in
// the workspace. A process that dies in a Move can leave the file with both names. An
// append to a full disk can write a part, and its error reports that. An append while
// the file is being replaced may go to the old file. On file systems that ignore case,
// names that differ only in it are the same, those of tenants and users included.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// Workspaces is a directory with one workspace for each user of each tenant.
// It is safe for concurrent use, also by several processes on one disk.
type Workspaces struct {
	dir    string
	limits Limits
	usages usages
}

// New is NewLimited with the limits of the default configuration.
func New(dataDir string) (*Workspaces, error) { return NewLimited(dataDir, DefaultLimits()) }

// NewLimited returns the workspaces under dataDir/workspaces, which it creates if
// missing. Its errors are for the operator and contain host paths.
func NewLimited(dataDir string, limits Limits) (*Workspaces, error) {
	dir, err := filepath.Abs(filepath.Join(dataDir, "workspaces"))
	if err != nil {
		return nil, fmt.Errorf("workspaces: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // the operator names the directory
		return nil, fmt.Errorf("workspaces: %w", err)
	}
	return &Workspaces{dir: dir, limits: limits, usages: usages{all: map[string]*usage{}}}, nil
}

var owner = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// For returns the files of a user, or, if user is empty, those that the tenant's
// anonymous calls share (they are user "_"). It touches no disk; the directory is made
// when it is first used. A name that is not 1 to 64 letters, digits, "_" or "-" is a
// validation_error.
//
// With scopes that restrict paths, each operation works only within all of them and
// otherwise fails with path_not_allowed. Links are then refused wherever they lead,
// except that Remove and Rename act on a link itself. The parent directories of
// accessible paths can be described and created, and their listing shows only
// accessible entries and those that lead to them. A directory is moved only if
// everything below it is accessible, in both places.
func (w *Workspaces) For(tenant, user string, within ...tool.Scopes) (tool.Files, error) {
	return w.folder(tenant, user, within...)
}

func (w *Workspaces) folder(tenant, user string, within ...tool.Scopes) (*folder, error) {
	dir, err := w.place(tenant, user)
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir, usage: w.usage(dir)}
	if !scope.AnyPath(within...) {
		f.scopes = slices.Clone(within)
	}
	return f, nil
}

// Dir returns the host's directory of a user's workspace and creates it if missing, for
// code that passes it to others, such as programs that run in it.
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

// Root returns the host's directory of all workspaces, in which tools write.
func (w *Workspaces) Root() string { return w.dir }

// Installed returns the host's directory for the programs that a user installs, which may
// be missing. It is beside the workspace, so that no file tool reaches it.
func (w *Workspaces) Installed(tenant, user string) (string, error) {
	dir, err := w.place(tenant, user)
	return dir + programsSuffix, err
}

// programsSuffix ends the name of the directory with the installed programs of a
// workspace's user.
const programsSuffix = ".programs"

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

// folder is one workspace, or with scopes the accessible part of it.
type folder struct {
	dir    string
	usage  *usage
	scopes []tool.Scopes
	log    writeLog
}

// root opens the workspace, and creates it before its first use.
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
