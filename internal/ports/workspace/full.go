package workspace

import (
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// maxNamed is the number of files and directories that a refusal names.
const maxNamed = 4

// take reserves room, or returns an error if there is none.
func (f *folder) take(a amount) error {
	if f.usage.take(a) {
		return nil
	}
	return f.full()
}

// full returns the error of a full workspace, with what to delete.
func (f *folder) full() *tool.Error {
	f.usage.mu.Lock()
	held, largest := f.usage.held, f.usage.largest
	f.usage.mu.Unlock()
	l := f.usage.limits
	var bounds []string
	if l.MaxBytes > 0 {
		bounds = append(bounds, fmt.Sprintf("%s of %s", size(held.bytes), size(l.MaxBytes)))
	}
	if l.MaxFiles > 0 {
		bounds = append(bounds, fmt.Sprintf("%d of %d files and directories", held.files, l.MaxFiles))
	}
	text := "The workspace is full: it holds " + strings.Join(bounds, " and ") + ". Delete what is no longer needed with delete_file"
	if named := f.name(largest); len(named) > 0 {
		text += "; the largest are " + strings.Join(named, ", ")
	}
	return tool.Fail(tool.ExecutionError, "%s.", text)
}

// name describes items that the call may reach.
func (f *folder) name(items []item) (named []string) {
	for _, dir := range []bool{true, false} {
		count := 0
		for _, i := range items {
			if i.dir != dir || count == maxNamed || f.limited() && scope.Path(i.path, f.scopes...) != nil {
				continue
			}
			count++
			text := fmt.Sprintf("%q (%s)", i.path, size(i.bytes))
			if dir {
				text = fmt.Sprintf("the directory %q (%s in %d files)", i.path, size(i.bytes), i.files)
			}
			named = append(named, text)
		}
	}
	return named
}

// size formats a number of bytes for people.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n)/unit, "KMGTPE"
	for value >= unit && len(units) > 1 {
		value, units = value/unit, units[1:]
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") + " " + units[:1] + "iB"
}

// meter reserves room for the data read through it, before it is written.
type meter struct {
	r      io.Reader
	folder *folder
	taken  amount
}

// Read implements [io.Reader].
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if n > 0 {
		if full := m.take(amount{bytes: int64(n)}); full != nil {
			return 0, full
		}
	}
	return n, err
}

func (m *meter) take(a amount) error {
	err := m.folder.take(a)
	if err == nil {
		m.taken = m.taken.plus(a)
	}
	return err
}

// replacing reserves the room for replacing a file: one more file if the old one is
// kept or does not exist, otherwise the difference in size.
func (m *meter) replacing(old fs.FileInfo) error {
	if old == nil || m.folder.usage.limits.keeps(old.Size()) {
		return m.take(amount{files: 1})
	}
	return m.take(amount{bytes: -old.Size()})
}

// settle counts the written amount, or nothing if the write failed.
func (m *meter) settle(done bool) {
	written := amount{}
	if done {
		written = m.taken
	}
	m.folder.usage.settle(m.taken, written)
}
