package library

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
	"github.com/helve-dev/helve/tool"
)

// Options configures a Library.
type Options struct {
	// Dirs lists the tools directories. If two have a tool of the same name, the first
	// directory takes precedence.
	Dirs []string
	// Builtin holds the built-in tools; nil means none.
	Builtin fs.FS
	// Taken reports whether a name belongs to a tool written in Go; nil means that none
	// does.
	Taken func(name string) bool
	// AllowOverride lets a directory's tool replace a built-in tool.
	AllowOverride bool
	// Check, if set, may refuse a definition: its error becomes a problem. It may be
	// called concurrently.
	Check func(*tool.Definition) error
	// Env holds values by tool, or by file without its ending, and name. A tool gets
	// the values that it declares; its own take precedence over its file's.
	Env map[string]map[string]string
	// NoEnv is set if the values are not available, as when tools are only checked:
	// missing values are then no problem.
	NoEnv bool
	// Budget limits the held answers to scripts; nil means no limit. Meter ends scripts
	// that hold too much memory; nil means a meter with the limit [js.MostHeld].
	Meter  *js.Meter
	Budget *js.Budget
	// Console receives the output of scripts; nil writes it to Log.
	Console func(*tool.Call, js.LogLine)
	// Log may be nil.
	Log *zap.Logger
}

// Problem is a problem of a file that an operator must know.
type Problem = manifest.Problem

// Loaded is a tool that can be offered.
type Loaded struct {
	Tool *tool.Tool
	// Schema is the compiled schema of the parameters.
	Schema *schema.Schema
	// Dir is the tools directory as configured, empty for a built-in tool.
	Dir string
	// File is the manifest's name in Dir, Entry the index in it or [manifest.Whole].
	File  string
	Entry int
	// Function is the function of the script that runs it.
	Function string
	// Durable is the code of a durable tool, empty for another tool, and Stated the parts of its
	// definition that its manifest states.
	Durable string
	Stated  manifest.Stated
	// Overrides is set if the tool replaces a built-in tool.
	Overrides bool
}

// Library holds the contents of the directories at the last look. Its methods are safe
// for concurrent use.
type Library struct {
	opts Options

	loading sync.Mutex // one look at a time
	folders []*folder
	now     atomic.Pointer[state]
}

// state is never changed after it was stored.
type state struct {
	tools    []Loaded
	problems []Problem
}

// Open reads all directories once. It returns an error if a directory cannot be read;
// errors of single files are [Library.Problems].
func Open(opts Options) (*Library, error) {
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	if opts.Meter == nil {
		opts.Meter = js.NewMeter(0)
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

// Tools returns the tools; those of one file are adjacent. The slice must not be
// changed. A tool that did not change is the same *tool.Tool as before.
func (l *Library) Tools() []Loaded { return l.now.Load().tools }

// Problems returns the problems, including warnings, by directory and file. The slice
// must not be changed.
func (l *Library) Problems() []Problem { return l.now.Load().problems }

// Lib returns the source of a shared library, from the first directory that has it: for
// scripts that run elsewhere.
func (l *Library) Lib(name string) (string, error) {
	for _, f := range l.folders {
		if e, ok := (*f.libs.now.Load())[name]; ok {
			return e.source, nil
		}
	}
	return "", noLib(name)
}

// Reload reads the directories again and reports whether tools or problems have
// changed. A directory that cannot be read keeps its tools.
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

// settle merges the contents of the folders into one list and logs changes.
func (l *Library) settle() bool {
	before, next := l.now.Load(), merge(&l.opts, l.folders)
	l.now.Store(next)
	sameTools := slices.EqualFunc(before.tools, next.tools, func(a, b Loaded) bool { return a == b })
	news := unseen(before.problems, next.problems)
	for _, p := range news {
		fields := []zap.Field{
			zap.String("dir", p.Dir), zap.String("file", p.File), zap.String("reason", p.Reason), zap.Bool("warning", p.Warning),
		}
		if p.Entry != nil {
			fields = append(fields, zap.Int("entry", *p.Entry))
		}
		l.opts.Log.Warn("tools directory problem found", fields...)
	}
	if !sameTools {
		l.opts.Log.Info("javascript tools loaded", zap.Int("tools", len(next.tools)), zap.Int("problems", len(next.problems)))
	}
	return !sameTools || len(news) > 0 || len(before.problems) != len(next.problems)
}

// unseen returns the problems that are new.
func unseen(before, now []Problem) []Problem {
	key := func(p Problem) string { return p.Dir + "\x00" + p.String() }
	old := map[string]bool{}
	for _, p := range before {
		old[key(p)] = true
	}
	return slices.DeleteFunc(slices.Clone(now), func(p Problem) bool { return old[key(p)] })
}
