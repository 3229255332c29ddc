package filetransfer

import (
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"net/http"
	"path"
	"sync"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/tool"
)

// Writer writes and removes files. Its conditional writes of a file exclude each other.
type Writer struct {
	seed  maphash.Seed
	locks [64]sync.Mutex
}

// NewWriter returns a writer.
func NewWriter() *Writer { return &Writer{seed: maphash.MakeSeed()} }

// errCondition ends a write whose condition no longer holds.
var errCondition = errors.New("the file has changed")

// Put writes the file from in, and creates its directories. Whatever fails, the file is as
// it was before.
func (w *Writer) Put(files tool.Files, owner string, r *peer.FileRequest, in io.Reader) (peer.FileHead, error) {
	before, err := find(files, r.Path)
	if err != nil {
		return peer.FileHead{}, err
	}
	if before != nil && before.IsDir() {
		return peer.FileHead{}, tool.Fail(tool.ValidationError, "Path is a directory, not a file: %s", r.Path)
	}
	if !allows(r.Header, before) {
		return conditionFailed(before), nil
	}
	if dir := path.Dir(r.Path); dir != "." {
		if err := files.MkdirAll(dir); err != nil {
			return peer.FileHead{}, err
		}
	}
	if before == nil && r.Header["If-None-Match"] != "" {
		_, err = files.Create(r.Path, 0o644, in)
		if now, _ := find(files, r.Path); err != nil && now != nil {
			return conditionFailed(now), nil // another writer was first
		}
	} else {
		last := &checked{Reader: in}
		if conditional(r.Header) {
			last.lock = w.lock(owner, r.Path)
			last.check = func() bool {
				now, err := find(files, r.Path)
				return err == nil && allows(r.Header, now)
			}
		}
		_, err = files.Write(r.Path, last)
		last.release()
		if errors.Is(err, errCondition) {
			now, _ := find(files, r.Path)
			return conditionFailed(now), nil
		}
	}
	if err != nil {
		return peer.FileHead{}, err
	}
	head := peer.FileHead{Status: http.StatusCreated, Header: map[string]string{}}
	if before != nil {
		head.Status = http.StatusNoContent
	}
	if now, err := find(files, r.Path); err == nil && now != nil {
		head.Header["ETag"] = tagOf(now)
	}
	return head, nil
}

// Delete removes the file, or an empty directory. It reads in to its end before: the
// other side records the removal, and an error of in keeps the file.
func (w *Writer) Delete(files tool.Files, owner string, r *peer.FileRequest, in io.Reader) (peer.FileHead, error) {
	lock := w.lock(owner, r.Path)
	lock.Lock()
	defer lock.Unlock()
	info, err := files.Lstat(r.Path)
	if err != nil {
		return peer.FileHead{}, err
	}
	if !allows(r.Header, info) {
		return conditionFailed(info), nil
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return peer.FileHead{}, err
	}
	if err := files.Remove(r.Path); err != nil {
		return peer.FileHead{}, err
	}
	return peer.FileHead{Status: http.StatusNoContent}, nil
}

// lock returns the lock of a file.
func (w *Writer) lock(owner, name string) *sync.Mutex {
	var h maphash.Hash
	h.SetSeed(w.seed)
	_, _ = h.WriteString(owner + "/" + path.Clean(name)) // it never fails
	return &w.locks[h.Sum64()%uint64(len(w.locks))]
}

// find describes a file; nil if there is none.
func find(files tool.FileReader, name string) (fs.FileInfo, error) {
	info, err := files.Stat(name)
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Kind == tool.FileNotFound {
		return nil, nil
	}
	return info, err
}

func tagOfAny(info fs.FileInfo) string {
	if info == nil {
		return ""
	}
	return tagOf(info)
}

// conditionFailed returns the head of a request whose condition does not hold.
func conditionFailed(info fs.FileInfo) peer.FileHead {
	head := peer.FileHead{Status: http.StatusPreconditionFailed, Header: map[string]string{}}
	if info != nil {
		head.Header["ETag"] = tagOf(info)
	}
	return head
}

// checked checks the condition of a write when its input has ended, which is directly
// before the file is replaced, and holds the file's lock from then on.
type checked struct {
	io.Reader

	lock  *sync.Mutex
	check func() bool
	held  bool
}

// Read implements [io.Reader].
func (c *checked) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if errors.Is(err, io.EOF) && c.lock != nil && !c.held {
		c.lock.Lock()
		if c.held = true; !c.check() {
			return n, errCondition
		}
	}
	return n, err
}

func (c *checked) release() {
	if c.held {
		c.lock.Unlock()
	}
}
