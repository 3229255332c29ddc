package engine

import (
	"slices"
	"sync"

	"github.com/helve-dev/helve/tool"
)

// maxWritten is the number of written files that a result names.
const maxWritten = 100

// nestedFiles are the files that the nested calls of a job have written.
type nestedFiles struct {
	mu  sync.Mutex
	all []tool.WrittenFile
}

// NoteWritten records the files that a nested call of the job's tool has written, so that
// the job's own result names them too.
func (j *Job) NoteWritten(files []tool.WrittenFile) {
	if len(files) == 0 {
		return
	}
	j.nested.mu.Lock()
	defer j.nested.mu.Unlock()
	for _, file := range files {
		at := slices.IndexFunc(j.nested.all, func(f tool.WrittenFile) bool { return f.Path == file.Path })
		switch {
		case at >= 0:
			j.nested.all[at] = file
		case len(j.nested.all) < maxWritten:
			j.nested.all = append(j.nested.all, file)
		}
	}
}

// written returns the files that the job and its nested calls have written, as the
// files port describes its own.
func (j *Job) written() []tool.WrittenFile {
	if needs := j.entry.Tool.Needs; needs&(tool.NeedTools|tool.NeedFiles) == 0 {
		return nil
	}
	if log, ok := j.Files.(tool.FileWriteLog); ok {
		j.NoteWritten(log.Written())
	}
	j.nested.mu.Lock()
	defer j.nested.mu.Unlock()
	return slices.Clone(j.nested.all)
}
