// Package documents holds the tools that read the documents and archives of a person, and
// bring their contents into the workspace or the person's data.
//
// Documents are untrusted: sizes, entries, levels and time are bounded, nothing in them is
// run or fetched, and what is left out is reported.
package documents

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"sync"

	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Documents", "documents")

// reading limits the number of documents that are read concurrently: one may take a hundred
// times its size in memory, and more of them than processors would only cost that.
var reading = make(chan struct{}, runtime.GOMAXPROCS(0))

// beginReading waits until a document may be read; the caller calls done.
func beginReading(ctx context.Context) (done func(), err error) {
	select {
	case reading <- struct{}{}:
		return func() { <-reading }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// file is an open file of the workspace, read at any place.
type file struct {
	fs.File

	mu   sync.Mutex
	seek io.Seeker
	size int64
}

// openFile opens a file of the workspace.
func openFile(call *tool.Call, name string) (*file, error) {
	f, err := call.Files.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	seek, ok := f.(io.Seeker)
	if !ok {
		return nil, errors.Join(tool.Fail(tool.Internal, "the file cannot be read out of order"), f.Close())
	}
	return &file{File: f, seek: seek, size: info.Size()}, nil
}

// ReadAt implements [io.ReaderAt].
func (f *file) ReadAt(p []byte, at int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.seek.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(f.File, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
