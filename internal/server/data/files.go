package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Files implements [api.Files]: a worker reads and writes the files.
type Files struct {
	Asker

	Bindings *affinity.Binder
	Trail    trail.Writer
	// Within bounds an operation: a worker whose disk hangs reports for ever that it works.
	Within time.Duration
}

const (
	// FileTime bounds the transfer of a file.
	FileTime = 20 * time.Minute
	// maxHead bounds the first line of an answer, maxPage a page of a list.
	maxHead = 16 << 10
	maxPage = 16 << 20
)

// fileTools are the tools whose pool has the workspaces, in the order of preference.
var fileTools = []string{"read_file", "write_file", "list_directory"}

// home returns the pool that has the workspaces, and the tool that names it.
func (f Files) home() (pool, name string) {
	for _, name := range fileTools {
		if def, ok := f.Tools.Lookup(name); ok {
			return def.Pool, name
		}
	}
	var pools []string
	for _, def := range f.Tools.All() {
		pools = append(pools, def.Pool)
	}
	if len(pools) == 0 {
		return "", ""
	}
	return slices.Min(pools), ""
}

var errNoFiles = &api.RequestError{
	Type: "unavailable", Status: http.StatusServiceUnavailable, RetryAfter: time.Second,
	Msg: "no worker that holds the workspaces answers; try again, and start one if none runs",
}

var errFilesHang = errors.New("the worker did not end the operation in time")

// ask has a worker with the workspace of a person do what r asks for. The answer of the
// worker is decoded into v unless that is nil.
func (f Files) ask(ctx context.Context, op peer.DataOp, at api.FileAt, r peer.FileRequest, in io.Reader, out io.Writer, v any) error {
	pool, name := f.home()
	if pool == "" {
		return errNoFiles
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.Within, errFilesHang)
	defer cancel()
	req := peer.DataRequest{Op: op, Tenant: at.Tenant, Person: at.User, File: &r}
	home, bound, err := f.Bindings.Home(ctx, pool, affinity.Person{Tenant: at.Tenant, User: at.User}, name, "")
	if err != nil {
		return err
	}
	if bound {
		req.Home = home.Lane
	}
	a, err := f.Queue.Data.Ask(ctx, pool, req, in, out)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errFilesHang), errors.Is(err, natsio.ErrUnavailable) && ctx.Err() == nil:
		return errNoFiles
	case err != nil:
		return err
	case a.Kind != "":
		return fileRefusal(op, a)
	case v == nil:
		return nil
	}
	return json.Unmarshal(a.Result, v)
}

// fileRefusal returns the failure that a worker reports.
func fileRefusal(op peer.DataOp, a peer.DataAnswer) error {
	switch kind := tool.Kind(a.Kind); {
	case kind == tool.FileNotFound:
		return api.NotFound("%s", a.Message)
	case kind == tool.PathNotAllowed, kind == tool.PermissionDenied:
		return api.Forbidden("%s", a.Message)
	case kind == tool.ExecutionError && op == peer.DataFilePut: // no room in the workspace, or on the disk
		return &api.RequestError{Type: "too_large", Status: http.StatusInsufficientStorage, Msg: a.Message}
	case kind == tool.ExecutionError:
		return api.Unavailable("%s", a.Message)
	}
	return Refusal(a)
}

// List implements [api.Files].
func (f Files) List(ctx context.Context, at api.FileAt, limit int, cursor string) (list protocol.FileList, err error) {
	out := &bounded{most: maxPage}
	if err := f.ask(ctx, peer.DataFileList, at, peer.FileRequest{Path: at.Path, After: cursor, Limit: limit}, nil, out, nil); err != nil {
		return list, err
	}
	return list, json.Unmarshal(out.Bytes(), &list)
}

// bounded is a buffer with a limit.
type bounded struct {
	bytes.Buffer

	most int
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		return 0, fmt.Errorf("a worker sent more than %d bytes", b.most)
	}
	return b.Buffer.Write(p)
}

// Get implements [api.Files].
func (f Files) Get(ctx context.Context, at api.FileAt, headOnly bool, begin func(api.FileHead), out io.Writer) error {
	head := &headed{begin: begin, out: out}
	err := f.ask(ctx, peer.DataFileGet, at, peer.FileRequest{Path: at.Path, Header: at.Header, Head: headOnly}, nil, head, nil)
	if err == nil && !head.begun {
		err = errors.New("a worker sent no head of a file")
	}
	return err
}

// headed reads the first line of the output of a worker as its head.
type headed struct {
	begin func(api.FileHead)
	out   io.Writer
	line  []byte
	begun bool
}

// Write implements [io.Writer].
func (h *headed) Write(p []byte) (int, error) {
	if h.begun {
		return h.out.Write(p)
	}
	line, rest, whole := bytes.Cut(p, []byte("\n"))
	if h.line = append(h.line, line...); len(h.line) > maxHead {
		return 0, errors.New("a worker sent a head that is too long")
	}
	if !whole {
		return len(p), nil
	}
	var head peer.FileHead
	if err := json.Unmarshal(h.line, &head); err != nil || head.Status < http.StatusOK || head.Status > 599 {
		return 0, errors.Join(errors.New("a worker sent no head of a file"), err)
	}
	h.begun = true
	h.begin(api.FileHead(head))
	if len(rest) > 0 {
		if _, err := h.out.Write(rest); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Put implements [api.Files]. The record is written when all of the file has arrived, and
// before the worker learns that.
func (f Files) Put(ctx context.Context, at api.FileAt, in io.Reader) (head api.FileHead, err error) {
	recorded := &recording{in: in, record: func() error { return f.record(ctx, at, api.FilesPut, "is written") }}
	err = f.ask(ctx, peer.DataFilePut, at, peer.FileRequest{Path: at.Path, Header: at.Header}, recorded, nil, &head)
	return head, err
}

// Delete implements [api.Files].
func (f Files) Delete(ctx context.Context, at api.FileAt) (head api.FileHead, err error) {
	recorded := &recording{in: bytes.NewReader(nil), record: func() error { return f.record(ctx, at, api.FilesDelete, "is deleted") }}
	err = f.ask(ctx, peer.DataFileDelete, at, peer.FileRequest{Path: at.Path, Header: at.Header}, recorded, nil, &head)
	return head, err
}

// recording records an operation when the input has ended; an error of the trail ends the
// operation without an effect.
type recording struct {
	in     io.Reader
	record func() error
	done   bool
}

// Read implements [io.Reader].
func (r *recording) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if errors.Is(err, io.EOF) && !r.done {
		if failed := r.record(); failed != nil {
			return n, failed
		}
		r.done = true
	}
	return n, err
}

// record puts a change on the trail, before it takes effect.
func (f Files) record(ctx context.Context, at api.FileAt, operation, what string) error {
	return f.Trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditPersonalData, Tenant: at.Tenant, User: at.User, Tool: operation, By: identity.Of(ctx).Called(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Detail: fmt.Sprintf("the file %.300q %s", at.Path, what),
	})
}
