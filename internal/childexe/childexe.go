// Package childexe finds the program that a worker's children are: helve-child, if it lies
// beside the worker's own program and is of the same build, or else that program itself.
// A worker links much that its children do not need, and each of them would wait until
// all of it is mapped and set up.
//
// It promises that the program is no other than the one that was looked at, also if the
// file is replaced meanwhile; that a helve-child of another build is not used; and that none
// is which belongs to somebody else, who could lay one beside a program in a directory such
// as /tmp.
package childexe

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

// Command is how a child is started whose first argument is this.
func Command(argument string) []string {
	return []string{chosen().path, argument}
}

// Describe says for an operator which program children are, and why it is not the
// small one where it is not.
func Describe() string { return chosen().detail }

type choice struct{ path, detail string }

// chosen is looked at once: what a worker began with serves it as long as it lives.
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

// same says that two programs are known to have the same Helve in them, compiled the
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
