package library

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/helve-dev/helve/internal/toolbox/js"
)

// opener opens a folder for one look at it.
type opener func() (fs.FS, func(), error)

// lent is a folder that always exists.
func lent(files fs.FS) opener {
	return func() (fs.FS, func(), error) { return files, func() {}, nil }
}

// onDisk opens a directory for each look, because it may have been replaced.
func onDisk(dir string) opener {
	return func() (fs.FS, func(), error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, nil, err
		}
		return rooted{root}, func() { _ = root.Close() }, nil // it was only read
	}
}

// rooted is a directory that no name and no link can leave, and in which opening a pipe
// does not wait for its other end.
type rooted struct{ root *os.Root }

// Open implements [fs.FS].
func (r rooted) Open(name string) (fs.File, error) {
	return r.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// Stat implements [fs.StatFS].
func (r rooted) Stat(name string) (fs.FileInfo, error) { return r.root.Stat(name) }

// found is a file of a folder, as seen by one look.
type found struct {
	info fs.FileInfo
	err  error // it exists, but its type is unknown
}

// list returns the files directly in dir that have one of the endings. It omits hidden
// files and everything that is neither a file nor a link to one.
func list(files fs.FS, dir string, endings ...string) (map[string]found, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return nil, err
	}
	all := map[string]found{}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || !hasEnding(name, endings) {
			continue
		}
		info, err := fs.Stat(files, path.Join(dir, name))
		if err == nil && !info.Mode().IsRegular() {
			continue
		}
		all[name] = found{info, err}
	}
	return all, nil
}

func hasEnding(name string, endings []string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// read reads a file of at most [js.MaxSource] bytes, which is also the limit of a
// manifest.
func read(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, js.MaxSource+1))
	if err != nil {
		return nil, err
	}
	if len(text) > js.MaxSource {
		return nil, fmt.Errorf("it has more than %d bytes; split it", js.MaxSource)
	}
	return text, nil
}

// cause returns an error's text without the path in it.
func cause(err error) string {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		err = inner.Err
	}
	return err.Error()
}
