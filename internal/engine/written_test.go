package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// logging is a workspace whose write log is fixed.
type logging struct {
	tool.Files
	files []tool.WrittenFile
}

func (l logging) Written() []tool.WrittenFile { return l.files }

// TestWrittenFilesAreMetadata: the result of a call names the files that its port has
// recorded, beside the metadata of the tool; a call that wrote none has no such entry.
func TestWrittenFilesAreMetadata(t *testing.T) {
	file := tool.WrittenFile{Path: "a.png", Size: 3, Type: "image/png"}
	for _, files := range [][]tool.WrittenFile{nil, {file}} {
		w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) { return 1, nil },
			func(s *tool.Spec[pathArgs, any]) { s.Needs = tool.NeedFiles }))
		w.files = logging{files: files}
		out := w.execute(t.Context(), job(`{"path":"a"}`))
		wantValue(t, out, "1")
		got, named := out.Result.Metadata["files"].([]tool.WrittenFile)
		if named != (files != nil) || !slices.Equal(got, files) {
			t.Errorf("metadata.files = %v, want %v", out.Result.Metadata["files"], files)
		}
	}
}

// TestWrittenFilesOfNestedCalls: a call names the files that the calls of its tool have
// written, each once with its last size, and no more than the limit.
func TestWrittenFilesOfNestedCalls(t *testing.T) {
	var j *Job
	w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) {
		j.NoteWritten([]tool.WrittenFile{{Path: "a", Size: 1}, {Path: "b", Size: 1}})
		j.NoteWritten([]tool.WrittenFile{{Path: "a", Size: 2}})
		return 1, nil
	}, func(s *tool.Spec[pathArgs, any]) { s.Needs = tool.NeedTools }))
	j = job(`{"path":"a"}`)
	out := w.execute(t.Context(), j)
	if want := []tool.WrittenFile{{Path: "a", Size: 2}, {Path: "b", Size: 1}}; !slices.Equal(out.Result.Files, want) {
		t.Errorf("files = %v, want %v", out.Result.Files, want)
	}
	for range 2 * maxWritten {
		j.NoteWritten([]tool.WrittenFile{{Path: string(rune(0x4e00 + len(j.nested.all)))}})
	}
	if n := len(j.nested.all); n != maxWritten {
		t.Errorf("%d files are recorded, want at most %d", n, maxWritten)
	}
}
