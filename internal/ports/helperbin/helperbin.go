// Package helperbin finds the program for the child processes of a worker: helve-child, if
// it is in the directory of the worker's program and of the same build, or else the
// worker's program itself. A worker links much that its children do not need, and each
// child would wait until all of it is mapped and initialized.
//
// It promises to start the file that it checked, even if the path is replaced meanwhile.
// It does not use a helve-child of another build, nor a file that another user owns or
// may write: in a directory such as /tmp, anybody could put one there.
package helperbin

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
)

const (
	// name is the small program's.
	name = "helve-child"
	// self is the worker's own program.
	self = "/proc/self/exe"
)

// Command returns the command line of a child with that first argument.
func Command(argument string) []string {
	return []string{chosen().path, argument}
}

// Describe returns the program of children for an operator, and the reason if it is not
// helve-child.
func Describe() string { return chosen().detail }

type choice struct{ path, detail string }

// chosen returns the choice that was made at its first call: it holds until the process
// ends.
var chosen = sync.OnceValue(func() choice {
	own, _ := debug.ReadBuildInfo()
	exe, err := os.Executable()
	if err != nil {
		return choice{self, "this program: where it lies is not known: " + err.Error()}
	}
	return choose(filepath.Join(filepath.Dir(exe), name), func(info *debug.BuildInfo) bool { return same(own, info) })
})

func choose(path string, fits func(*debug.BuildInfo) bool) choice {
	held, err := open(path, fits)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return choice{self, "this program: there is no " + path}
	case err != nil:
		return choice{self, "this program: " + err.Error()}
	}
	return choice{held, path}
}

// open holds the program open and returns the name of the descriptor.
func open(path string, fits func(*debug.BuildInfo) bool) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := trusted(f); err != nil {
		return "", err
	}
	info, err := buildinfo.Read(f)
	if err != nil {
		return "", fmt.Errorf("%s is no program of Go: %w", path, err)
	}
	if !fits(info) {
		return "", fmt.Errorf("%s is not known to be of the same build; build both from the same commit or version", path)
	}
	return hold(f)
}

const module = "github.com/helve-dev/helve"

// same reports whether two programs are known to contain the same Helve, compiled the
// same way.
func same(a, b *debug.BuildInfo) bool {
	return a != nil && b != nil && version(a) != "" && version(a) == version(b) && a.GoVersion == b.GoVersion &&
		setting(a, "-tags") == setting(b, "-tags") && setting(a, "GOARCH") == setting(b, "GOARCH")
}

// version is that of Helve in a program, or "" where nobody can tell one from another:
// built from a directory that is no repository or has changes.
func version(info *debug.BuildInfo) string {
	m := &info.Main
	for _, dep := range info.Deps {
		if dep.Path == module {
			m = dep
		}
	}
	if m.Path != module || m.Replace != nil || m.Version == "(devel)" || strings.Contains(m.Version, "+dirty") {
		return ""
	}
	return m.Version
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
