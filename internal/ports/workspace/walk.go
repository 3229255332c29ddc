package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

const (
	// maxDepth is the depth of directories that a walk visits: each is open while its
	// contents are visited.
	maxDepth = 256
	// maxEntries limits the memory for the names of one directory.
	maxEntries = 1 << 20
)

// Walk visits everything below a directory. The workspace is opened once.
func (f *folder) Walk(name string, visit tool.Visit) error {
	w := &walk{folder: f, visit: visit}
	err := f.at("list", name, f.within(local, scope.Way), func(root *os.Root, p string) error {
		dir, err := f.openDir(root, p)
		if err != nil {
			return err
		}
		defer dir.Close()
		return w.below(dir, path.Clean(name), 1)
	})
	switch {
	case errors.Is(w.verdict, fs.SkipAll):
		return nil
	case w.verdict != nil:
		return w.verdict
	}
	return err
}

// walk is one walk.
type walk struct {
	folder  *folder
	visit   tool.Visit
	verdict error // the error with which visit ended the walk
}

// errEnded unwinds a walk that visit has ended.
var errEnded = errors.New("the walk has ended")

// below visits the contents of a directory, whose path is at.
func (w *walk) below(dir *os.Root, at string, depth int) error {
	names, err := namesIn(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		info, err := dir.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone since it was listed
		}
		if err != nil {
			return err
		}
		e := &entry{DirEntry: fs.FileInfoToDirEntry(info), folder: w.folder, dir: dir, path: path.Join(at, name)}
		if !w.folder.shows(e.path, e.IsDir()) {
			continue
		}
		err = w.visit(e.path, e, nil)
		if err == nil && e.IsDir() {
			err = w.enter(dir, e, depth)
		}
		switch {
		case err == nil, errors.Is(err, fs.SkipDir) && e.IsDir():
		case errors.Is(err, fs.SkipDir):
			return nil
		case errors.Is(err, errEnded):
			return err
		default:
			w.verdict = err
			return errEnded
		}
	}
	return nil
}

// enter visits the contents of e, or passes the error to visit.
func (w *walk) enter(dir *os.Root, e *entry, depth int) error {
	err := w.descend(dir, e, depth)
	if err == nil || errors.Is(err, errEnded) {
		return err
	}
	return w.visit(e.path, e, failure("list", e.path, err))
}

func (w *walk) descend(dir *os.Root, e *entry, depth int) error {
	if depth == maxDepth {
		return tool.Fail(tool.ValidationError, "The directories are nested more than %d deep: name one further down.", maxDepth)
	}
	sub, err := w.folder.openDir(dir, e.Name())
	if err != nil {
		return err
	}
	defer sub.Close()
	return w.below(sub, e.path, depth+1)
}

// namesIn lists a directory by name, without unfinished files. It keeps only the name
// of each entry, since directories can be large.
func namesIn(dir *os.Root) ([]string, error) {
	h, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	var names []string
	for err == nil && len(names) <= maxEntries {
		var more []string
		more, err = h.Readdirnames(4096)
		names = append(names, more...)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, h.Close()); err != nil {
		return nil, err
	}
	if len(names) > maxEntries {
		return nil, tool.Fail(tool.ValidationError, "The directory holds more than %d entries, too many to go through: name one further down.",
			maxEntries)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, tempPrefix) })
	slices.Sort(names)
	return names, nil
}

// entry is a visited entry.
type entry struct {
	fs.DirEntry

	folder *folder
	dir    *os.Root
	path   string
}

// Open opens a file. The target of a link is resolved from the workspace, because seen
// from its directory it may be outside.
func (e *entry) Open() (fs.File, error) {
	if e.Type() == fs.ModeSymlink {
		return e.folder.Open(e.path)
	}
	if err := e.folder.whole(e.path); err != nil {
		return nil, err
	}
	o, err := e.folder.openFile(e.dir, e.Name(), e.path)
	if err != nil {
		return nil, failure("read", e.path, err)
	}
	return o, nil
}
