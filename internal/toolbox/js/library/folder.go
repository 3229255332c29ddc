package library

import (
	"errors"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/helve-dev/helve/internal/x/gopool"
)

// The file endings of a folder.
const (
	scriptEnd   = ".js"
	manifestEnd = ".json"
	testEnd     = ".test.json" // cases for helve js test
)

// folder is one tools directory with its contents at the last look.
type folder struct {
	opts     *Options
	dir      string
	open     opener
	pairs    map[string]*pair // by base name
	libs     *sources
	problems []Problem // of the folder as a whole
}

func newFolder(opts *Options, dir string, open opener) *folder {
	return &folder{opts: opts, dir: dir, open: open, pairs: map[string]*pair{}, libs: newSources()}
}

// look updates the folder from the directory. After an error it is unchanged.
func (f *folder) look() error {
	files, done, err := f.open()
	if err != nil {
		return err
	}
	defer done()
	all, err := list(files, ".", scriptEnd, manifestEnd)
	if err != nil {
		return err
	}
	f.problems = nil
	if shared, err := list(files, libDir, scriptEnd); err == nil || errors.Is(err, fs.ErrNotExist) {
		f.problems = f.libs.fill(files, f.dir, shared)
	} else {
		f.problems = append(f.problems, f.problem(libDir, "cannot be read; the shared libraries stay as they were: "+cause(err)))
	}
	f.pairs = f.readAll(files, all)
	return nil
}

// readAll reads the pairs with one goroutine per processor, because most of the time is
// spent compiling.
func (f *folder) readAll(files fs.FS, all map[string]found) map[string]*pair {
	names := bases(all)
	made := make([]*pair, len(names))
	var taken atomic.Int64
	var readers gopool.Group
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for i := taken.Add(1) - 1; int(i) < len(names); i = taken.Add(1) - 1 {
				made[i] = f.pair(files, names[i], all)
			}
		})
	}
	readers.Wait()
	next := make(map[string]*pair, len(names))
	for i, name := range names {
		next[name] = made[i]
	}
	return next
}

// bases returns the names of the pairs, including incomplete ones.
func bases(all map[string]found) []string {
	set := map[string]bool{}
	for name := range all {
		if strings.HasSuffix(name, testEnd) {
			continue
		}
		base := strings.TrimSuffix(strings.TrimSuffix(name, scriptEnd), manifestEnd)
		set[base] = true
	}
	return slices.Sorted(maps.Keys(set))
}
