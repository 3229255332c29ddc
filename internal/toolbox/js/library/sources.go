package library

import (
	"crypto/sha256"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
)

// libDir holds the shared libraries of a folder.
const libDir = "lib"

// sources holds a folder's shared libraries, by name.
type sources struct {
	byName map[string]source
	now    atomic.Pointer[map[string]edition]
}

type source struct {
	sum     [sha256.Size]byte
	program *js.Program
	source  string // of the program
	problem *Problem
}

// edition is the current version of a library.
type edition struct {
	program *js.Program
	source  string
}

func newSources() *sources {
	s := &sources{}
	s.now.Store(&map[string]edition{})
	return s
}

// fill updates the sources from the directory. An invalid library keeps its previous
// version.
func (s *sources) fill(files fs.FS, dir string, all map[string]found) []Problem {
	next, programs := map[string]source{}, map[string]edition{}
	var problems []Problem
	for _, file := range slices.Sorted(maps.Keys(all)) {
		name := strings.TrimSuffix(file, scriptEnd)
		b := s.byName[name].reread(files, path.Join(libDir, file), all[file].err)
		next[name] = b
		if b.problem != nil {
			b.problem.Dir = dir
			problems = append(problems, *b.problem)
		}
		if b.program != nil {
			programs[name] = edition{b.program, b.source}
		}
	}
	s.byName = next
	s.now.Store(&programs)
	return problems
}

func (b source) reread(files fs.FS, file string, err error) source {
	var text []byte
	if err == nil {
		text, err = read(files, file)
	}
	if err != nil {
		return b.broken(file, [sha256.Size]byte{}, "cannot be read: "+cause(err))
	}
	sum := sha256.Sum256(text)
	if sum == b.sum {
		return b
	}
	program, err := js.CompileLib(file, string(text))
	if err != nil {
		return b.broken(file, sum, tool.AsError(err).Msg)
	}
	return source{sum: sum, program: program, source: string(text)}
}

func (b source) broken(file string, sum [sha256.Size]byte, reason string) source {
	if b.program != nil {
		reason += stays
	}
	return source{sum: sum, program: b.program, source: b.source, problem: &Problem{File: file, Reason: reason}}
}

// lookup returns a function that finds the current libraries, for one call.
func (s *sources) lookup() func(name string) (*js.Program, error) {
	programs := *s.now.Load()
	return func(name string) (*js.Program, error) {
		if e, ok := programs[name]; ok {
			return e.program, nil
		}
		return nil, noLib(name)
	}
}

func noLib(name string) error {
	return tool.Fail(tool.ExecutionError, "there is no shared library %.60q; the tools directory needs %s/NAME.js", name, libDir)
}
