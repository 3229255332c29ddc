package workspace

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/internal/lib/mediatype"
	"github.com/helve-dev/helve/tool"
)

const (
	// maxWritten is the number of written files that a result names.
	maxWritten = 100
	// maxWrittenPaths limits their paths together, in bytes.
	maxWrittenPaths = 16 << 10
)

// writeLog is the list of the files that were written through one folder.
type writeLog struct {
	mu    sync.Mutex
	paths []string
	bytes int
}

// wrote records a successful write.
func (l *writeLog) wrote(name string) {
	p := path.Clean(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.paths) < maxWritten && l.bytes+len(p) <= maxWrittenPaths && !slices.Contains(l.paths, p) {
		l.paths = append(l.paths, p)
		l.bytes += len(p)
	}
}

// moved records that a file or directory has another path. Only written files are listed
// there: a call that moves a file has not written it.
func (l *writeLog) moved(from, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, p := range l.paths {
		if rest, ok := strings.CutPrefix(p, from); ok && (rest == "" || rest[0] == '/') {
			l.paths[i] = to + rest
		}
	}
}

// Written implements [tool.FileWriteLog]. It describes each file as it is now; what the
// call has removed again is left out.
func (f *folder) Written() []tool.WrittenFile {
	f.log.mu.Lock()
	paths := slices.Clone(f.log.paths)
	f.log.mu.Unlock()
	var all []tool.WrittenFile
	for _, p := range paths {
		info, err := f.Stat(p)
		if err != nil || !info.Mode().IsRegular() || slices.ContainsFunc(all, func(w tool.WrittenFile) bool { return w.Path == p }) {
			continue
		}
		all = append(all, tool.WrittenFile{Path: p, Size: info.Size(), Type: mediatype.ByName(p)})
	}
	return all
}
