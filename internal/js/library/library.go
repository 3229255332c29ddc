package library

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/js/manifest"
	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/tool"
)

// Options says where the tools are and what they get.
type Options struct {
	// Dirs are the tools directories. Of tools with one name in two of them the
	// one of the first directory counts.
	Dirs []string
	// Builtin holds tools that are part of the program; nil means none.
	Builtin fs.FS
	// Taken says that a name belongs to a tool written in Go; nil means that
	// none does.
	Taken func(name string) bool
	// AllowOverride lets a directory's tool take the place of a built-in one.
	AllowOverride bool
	// Check, where set, may refuse a definition: the error is its problem. It is
	// called by several goroutines at once.
	Check func(*tool.Definition) error
	// Env holds values by tool, or by file without its ending, and name. A tool
	// gets those it declares; its own count before its file's.
	Env map[string]map[string]string
	// NoEnv says that the values are not at hand, as where tools are only
	// checked: nothing is said of those that are missing.
	NoEnv bool
	// Console gets what scripts print; nil puts it into Log.
	Console func(*tool.Call, js.LogLine)
	// Log may be nil.
	Log *zap.Logger
}

// Problem is something that an operator has to know about a file.
type Problem = manifest.Problem

// Loaded is a tool that can be offered.
type Loaded struct {
	Tool *tool.Tool
	// Schema is that of the parameters, ready for the engine.
	Schema *schema.Schema
	// Dir is the tools directory as it was named, empty for a built-in tool.
	Dir string
	// File is the manifest's name in Dir, Entry the place in it or
	// [manifest.Whole].
	File  string
	Entry int
	// Function is the function of the script that runs it.
	Function string
	// Overrides says that it takes the place of a built-in tool.
	Overrides bool
}

// Library is what the directories held at the last look. Its methods may be used
// by any number of goroutines.
type Library struct {
	opts Options

	loading sync.Mutex // one look at a time
	folders []*folder
	now     atomic.Pointer[state]
}

// state is never changed once it is stored.
type state struct {
	tools    []Loaded
	problems []Problem
}

// Open reads everything once. The error is that of a directory that cannot be
// read; what is wrong with single files are [Library.Problems].
func Open(opts Options) (*Library, error) {
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	if opts.Taken == nil {
		opts.Taken = func(string) bool { return false }
	}
	if opts.Check == nil {
		opts.Check = func(*tool.Definition) error { return nil }
	}
	if opts.Console == nil {
		opts.Console = logged(opts.Log)
	}
	l := &Library{opts: opts}
	l.now.Store(&state{})
	if opts.Builtin != nil {
		l.folders = append(l.folders, newFolder(&l.opts, "", lent(opts.Builtin)))
	}
	seen := map[string]bool{}
	for _, dir := range opts.Dirs {
		if clean := filepath.Clean(dir); !seen[clean] {
			seen[clean] = true
			l.folders = append(l.folders, newFolder(&l.opts, dir, onDisk(dir)))
		}
	}
	for _, f := range l.folders {
		if err := f.look(); err != nil {
			return nil, fmt.Errorf("tools directory %s: %w", f.dir, err)
		}
	}
	l.settle()
	return l, nil
}

// Tools returns the tools, those of one file together. The slice must not be
// changed. A tool that did not change is the same *tool.Tool as before.
func (l *Library) Tools() []Loaded { return l.now.Load().tools }

// Problems returns what is wrong, warnings among it, by directory and file. The
// slice must not be changed.
func (l *Library) Problems() []Problem { return l.now.Load().problems }

// Lib returns the source of a shared library, of the first directory that has one
// of that name: for scripts that run elsewhere.
func (l *Library) Lib(name string) (string, error) {
	for _, f := range l.folders {
		if e, ok := (*f.shelf.now.Load())[name]; ok {
			return e.source, nil
		}
	}
	return "", noLib(name)
}

// Reload looks at the directories and reports whether tools or problems are
// others than before. A directory that cannot be read keeps its tools.
func (l *Library) Reload() bool {
	l.loading.Lock()
	defer l.loading.Unlock()
	for _, f := range l.folders {
		if err := f.look(); err != nil {
			f.problems = []Problem{{Dir: f.dir, File: ".", Reason: "the directory cannot be read; its tools stay as they were: " + cause(err)}}
		}
	}
	return l.settle()
}

// settle makes one list of what the folders hold and tells the log what is new.
func (l *Library) settle() bool {
	before, next := l.now.Load(), merge(&l.opts, l.folders)
	l.now.Store(next)
	sameTools := slices.EqualFunc(before.tools, next.tools, func(a, b Loaded) bool { return a == b })
	news := unseen(before.problems, next.problems)
	for _, p := range news {
		fields := []zap.Field{zap.String("dir", p.Dir), zap.String("file", p.File), zap.String("reason", p.Reason), zap.Bool("warning", p.Warning)}
		if p.Entry != nil {
			fields = append(fields, zap.Int("entry", *p.Entry))
		}
		l.opts.Log.Warn("a problem in a tools directory", fields...)
	}
	if !sameTools {
		l.opts.Log.Info("JavaScript tools loaded", zap.Int("tools", len(next.tools)), zap.Int("problems", len(next.problems)))
	}
	return !sameTools || len(news) > 0 || len(before.problems) != len(next.problems)
}

// unseen are the problems that were not there before.
func unseen(before, now []Problem) []Problem {
	key := func(p Problem) string { return p.Dir + "\x00" + p.String() }
	old := map[string]bool{}
	for _, p := range before {
		old[key(p)] = true
	}
	return slices.DeleteFunc(slices.Clone(now), func(p Problem) bool { return old[key(p)] })
}
