package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

const (
	// mostHashed bounds the contents that are read to tell whether a file was changed: a larger
	// one is told by its size and its time.
	mostHashed = 64 << 20
	// mostCompared bounds the contents that are kept to be compared, in bytes.
	mostCompared = 1 << 20
	// mostChanges bounds the changes of a call that are read.
	mostChanges = 20
)

// Change is a text that the call replaces or removes, with what it holds while the gate judges.
type Change struct {
	tool.Change
	// Exists reports whether there is anything now.
	Exists bool
	// Old has its contents now, up to mostCompared bytes; OldSHA256 is the hash of all of it in
	// hexadecimal digits, empty where that is a directory or was not read to its end.
	Old       []byte
	OldSHA256 string
	// Whole is set if Old is all of it.
	Whole bool

	version string // tells one state from another
}

// done reports whether the text is as the call would leave it.
func (c *Change) done() bool { return c.Exists && c.Whole && c.New != nil && bytes.Equal(c.Old, c.New) }

// edits are the changes of a job, read when they are first needed.
type edits struct {
	read func(ctx context.Context) ([]Change, error)
	all  []Change
	seen bool
}

// changesMark precedes the hash of the changes in a binding.
const changesMark = "/changes:"

// binding returns the part of a binding that changes make.
func (c *edits) binding() string {
	if c == nil || len(c.all) == 0 {
		return ""
	}
	sum := sha256.New()
	for i := range c.all {
		fmt.Fprintf(sum, "%q %s", c.all[i].Path, c.all[i].version)
		if change := &c.all[i]; change.New != nil && !change.Appends {
			fmt.Fprintf(sum, " %x", sha256.Sum256(change.New))
		}
		fmt.Fprintln(sum)
	}
	return changesMark + hex.EncodeToString(sum.Sum(nil)[:16])
}

// Changes returns the texts that the call replaces or removes, as they are now; the same each
// time. From then on the job's binding has them.
func (j *Job) Changes(ctx context.Context) ([]Change, error) {
	if j.edits == nil || j.edits.seen {
		return j.all(), nil
	}
	found, err := j.edits.read(ctx)
	if err != nil {
		return nil, err
	}
	j.edits.all, j.edits.seen = found, true
	return found, nil
}

func (j *Job) all() []Change {
	if j.edits == nil {
		return nil
	}
	return j.edits.all
}

// ChangedSince compares the job's binding with an approved binding. Changed is set if they differ
// only in the texts that the call changes: one of them is another now than the person was shown.
// Done is set if they differ because an interrupted attempt has changed all of them as approved.
func (j *Job) ChangedSince(binding string) (changed, done bool) {
	was, _, _ := strings.Cut(binding, changesMark)
	is, _, _ := strings.Cut(j.Binding(), changesMark)
	if was != is || binding == j.Binding() {
		return false, false
	}
	for i := range j.all() {
		if !j.edits.all[i].done() {
			return true, false
		}
	}
	return len(j.all()) == 0, len(j.all()) > 0
}

// readChanges reads what the call changes, within the scopes that the gate has found so far.
func (e *Engine) readChanges(ctx context.Context, j *Job) ([]Change, error) {
	call := j.Call
	call.CustomTools = e.deps.CustomTools
	if needs := j.entry.Tool.Needs & tool.NeedFiles; needs != 0 {
		look := &Job{Call: j.Call, entry: j.entry, Within: j.Within}
		if err := e.deps.Ports.Fill(look, needs); err != nil {
			return nil, err
		}
		call.Files = look.Files
	}
	ctx, cancel := context.WithTimeout(ctx, j.allowed(e.deps.Now()))
	defer cancel()
	told, err := j.invocation.Changes(ctx, &call)
	if err != nil {
		return nil, err
	}
	all := make([]Change, 0, min(len(told), mostChanges))
	for _, t := range told[:min(len(told), mostChanges)] {
		c := Change{Change: t}
		if err := c.look(ctx, call.Files); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// look reads what there is now.
func (c *Change) look(ctx context.Context, files tool.FileReader) error {
	if c.Held != nil {
		return c.take(ctx, strings.NewReader(*c.Held))
	}
	info, err := files.Lstat(c.Path)
	if err == nil && info.Mode().Type() == fs.ModeSymlink {
		if info = target(files, c.Path); info == nil { // it leads nowhere, or out of the workspace
			c.Exists, c.version = true, "a link"
			return nil
		}
	}
	switch {
	case err != nil && tool.AsError(err).Kind == tool.FileNotFound:
		c.version = "none"
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		c.Exists, c.version = true, info.Mode().Type().String()
		return nil
	case info.Size() > mostHashed:
		c.Exists, c.version = true, fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
		return nil
	}
	f, err := files.Open(c.Path)
	if err != nil {
		return err
	}
	return errors.Join(c.take(ctx, f), f.Close())
}

// target describes the target of a link, nil if there is none that can be reached.
func target(files tool.FileReader, path string) fs.FileInfo {
	info, err := files.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

// take reads r for its hash and keeps the beginning.
func (c *Change) take(ctx context.Context, r io.Reader) error {
	sum, kept := sha256.New(), &bytes.Buffer{}
	r = io.TeeReader(&interruptible{ctx, r}, sum)
	if _, err := io.CopyN(kept, r, mostCompared); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	rest, err := io.Copy(io.Discard, r)
	if err != nil {
		return err
	}
	c.Exists, c.Old, c.Whole = true, kept.Bytes(), rest == 0
	c.OldSHA256 = hex.EncodeToString(sum.Sum(nil))
	c.version = c.OldSHA256
	if c.Appends {
		c.New = slices.Concat(c.Old, c.New) // where Old is not whole, neither is this
	}
	return nil
}

// interruptible is a reader that ends with its context.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (i *interruptible) Read(p []byte) (int, error) {
	if err := context.Cause(i.ctx); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}
