package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/filetransfer"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// filing returns the operations on files over a server, and a worker's connection to it.
func filing(t *testing.T) (f Files, worker *queue.Queue) {
	t.Helper()
	cat := catalog.New()
	if err := cat.Put(tool.Definition{
		Name:       "read_file",
		Group:      "g",
		Pool:       "default",
		Parameters: json.RawMessage(`{}`),
		Enabled:    true,
	}); err != nil {
		t.Fatal(err)
	}
	srv := queuetest.Server(t)
	q, worker := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	bindings, err := affinity.Open(queuetest.Context(t), q, fleet.New())
	if err != nil {
		t.Fatal(err)
	}
	return Files{
		Asker:    Asker{q, cat},
		Bindings: bindings,
		Trail:    trail.Writer{Queue: q, Metrics: telemetry.NewMetrics(), Log: zap.NewNop()},
		Within:   FileTime,
	}, worker
}

// serving has the worker put files into a workspace, which it returns.
func serving(t *testing.T, worker *queue.Queue) tool.Files {
	t.Helper()
	w, err := workspace.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	disk, err := w.For("acme", "ann")
	if err != nil {
		t.Fatal(err)
	}
	writer := filetransfer.NewWriter()
	err = worker.Data.ServeFiles(queuetest.Context(t), "default", "",
		func(_ context.Context, r peer.DataRequest, in io.Reader, _ io.Writer) peer.DataAnswer {
			head, err := writer.Put(disk, "acme/ann", r.File, in)
			if err != nil {
				e := tool.AsError(err)
				return peer.DataAnswer{Kind: string(e.Kind), Message: e.Msg}
			}
			result, _ := json.Marshal(head)
			return peer.DataAnswer{Result: result}
		})
	if err = errors.Join(err, worker.Conn.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	return disk
}

func wantUnavailable(t *testing.T, what string, err error) {
	t.Helper()
	if e, _ := api.AsRequestError(err); err == nil || e.Status != http.StatusServiceUnavailable {
		t.Errorf("%s: %v, want 503", what, err)
	}
}

// TestNoWorkerHoldsFiles: without a worker each operation ends with 503.
func TestNoWorkerHoldsFiles(t *testing.T) {
	t.Parallel()
	f, _ := filing(t)
	ctx, at := queuetest.Context(t), api.FileAt{Tenant: "acme", User: "ann", Path: "a.txt"}
	_, err := f.List(ctx, at, 10, "")
	wantUnavailable(t, "list", err)
	wantUnavailable(t, "get", f.Get(ctx, at, false, func(api.FileHead) { t.Error("an answer has begun") }, io.Discard))
	_, err = f.Put(ctx, at, strings.NewReader("x"))
	wantUnavailable(t, "put", err)
	_, err = f.Delete(ctx, at)
	wantUnavailable(t, "delete", err)
	f.Tools = catalog.New()
	_, err = f.List(ctx, at, 10, "")
	wantUnavailable(t, "list without tools", err)
}

// TestWorkerDiesInTheMiddle: an upload whose worker is gone ends with 503, and the file is
// as it was before.
func TestWorkerDiesInTheMiddle(t *testing.T) {
	t.Parallel()
	f, worker := filing(t)
	disk := serving(t, worker)
	ctx, at := queuetest.Context(t), api.FileAt{Tenant: "acme", User: "ann", Path: "a.txt"}
	if head, err := f.Put(ctx, at, strings.NewReader("old")); err != nil || head.Status != http.StatusCreated {
		t.Fatalf("Put = %v, %v", head, err)
	}
	pieces := 0
	_, err := f.Put(ctx, at, read(func(p []byte) (int, error) {
		if pieces++; pieces == 3 {
			worker.Conn.NATS().Close()
		}
		return len(p), nil
	}))
	wantUnavailable(t, "the upload", err)
	if pieces < 3 {
		t.Fatalf("the worker has taken %d pieces, so it was not in the middle", pieces)
	}
	file, err := disk.Open("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil || string(text) != "old" {
		t.Errorf("the file is %.20q, %v", text, err)
	}
}

// TestHangingDisk: an operation whose worker only reports that it works ends, although its
// caller, who is gone, does not end it.
func TestHangingDisk(t *testing.T) {
	t.Parallel()
	f, worker := filing(t)
	f.Within = time.Second
	err := worker.Data.ServeFiles(queuetest.Context(t), "default", "",
		func(ctx context.Context, _ peer.DataRequest, _ io.Reader, _ io.Writer) peer.DataAnswer {
			<-ctx.Done()
			return peer.DataAnswer{}
		})
	if err = errors.Join(err, worker.Conn.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	_, err = f.Delete(context.WithoutCancel(t.Context()), api.FileAt{Tenant: "acme", User: "ann", Path: "a.txt"})
	wantUnavailable(t, "the removal", err)
}

// TestPutWithoutRecord: a file whose record cannot be written is not stored, and a body
// that fails has no record.
func TestPutWithoutRecord(t *testing.T) {
	t.Parallel()
	failed := errors.New("no trail")
	r := &recording{in: strings.NewReader("x"), record: func() error { return failed }}
	if _, err := io.ReadAll(r); !errors.Is(err, failed) {
		t.Errorf("the end of the input without a record: %v", err)
	}
	cut := errors.New("cut")
	r = &recording{
		in: read(func([]byte) (int, error) { return 0, cut }), record: func() error { t.Error("a record of a cut upload"); return nil },
	}
	if _, err := io.ReadAll(r); !errors.Is(err, cut) {
		t.Errorf("a cut input: %v", err)
	}
}

// TestHeaded: the head of an answer may come in any pieces; a worker that sends none is
// refused.
func TestHeaded(t *testing.T) {
	t.Parallel()
	const all = `{"status":200,"header":{"ETag":"\"x\""}}` + "\ncontents\nmore"
	for size := 1; size <= len(all); size++ {
		var out bytes.Buffer
		var head api.FileHead
		h := &headed{begin: func(got api.FileHead) { head = got }, out: &out}
		if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{strings.NewReader(all)}, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if head.Status != 200 || head.Header["ETag"] != `"x"` || out.String() != "contents\nmore" {
			t.Errorf("in pieces of %d: %v %q", size, head, out.String())
		}
	}
	for _, wrong := range []string{"{}\n", "x\n", `{"status":1}` + "\n", strings.Repeat("x", maxHead+1)} {
		h := &headed{begin: func(api.FileHead) { t.Error("an answer has begun") }, out: io.Discard}
		if _, err := io.WriteString(h, wrong); err == nil {
			t.Errorf("%.20q is taken as a head", wrong)
		}
	}
}

type read func(p []byte) (int, error)

// Read implements [io.Reader].
func (f read) Read(p []byte) (int, error) { return f(p) }
