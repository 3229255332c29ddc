package peer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// keeps has a worker of the pool answer requests about personal data.
func keeps(t *testing.T, q *queue.Queue, answer peer.DataServer) {
	t.Helper()
	if err := errors.Join(q.Data.Serve(queuetest.Context(t), "default", answer), q.Conn.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// TestData: a worker reads the input and writes the output of a request, both larger than
// a message, and its answer comes after them.
func TestData(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	worker, q := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	var got peer.DataRequest
	keeps(t, worker, func(_ context.Context, r peer.DataRequest, in io.Reader, out io.Writer) peer.DataAnswer {
		got = r
		n, err := io.Copy(out, in)
		if err != nil {
			return peer.DataAnswer{Kind: "internal", Message: err.Error()}
		}
		result, _ := json.Marshal(n)
		return peer.DataAnswer{Store: "s", Result: result}
	})
	want := peer.DataRequest{Op: peer.DataImport, Tenant: "acme", Person: "ann", Format: "csv", Replace: true}
	for _, size := range []int{0, 1, 256 << 10, 3<<20 + 7} {
		in, out := strings.Repeat("x", size), bytes.Buffer{}
		a, err := q.Data.Ask(queuetest.Context(t), "default", want, strings.NewReader(in), &out)
		var n int
		if err == nil {
			err = json.Unmarshal(a.Result, &n)
		}
		if err != nil || n != size || out.String() != in || a.Store != "s" || got != want {
			t.Errorf("%d bytes: %d came back of %d, %+v, %v; the request was %+v", size, out.Len(), n, a, err, got)
		}
	}
}

// TestDataFails: a request ends soon, and no side keeps waiting, without a worker, if the
// worker refuses or reads an input that there is not, and if the reader of the output fails.
func TestDataFails(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	worker, q := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	r := peer.DataRequest{Op: peer.DataExport, Tenant: "acme", Person: "ann"}
	if _, err := q.Data.Ask(queuetest.Context(t), "nobody", r, nil, nil); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("without a worker: %v", err)
	}
	ended := make(chan error, 10)
	keeps(t, worker, func(_ context.Context, r peer.DataRequest, in io.Reader, out io.Writer) peer.DataAnswer {
		switch r.Op {
		case peer.DataHello:
			return peer.DataAnswer{Refused: true}
		case peer.DataImport:
			_, err := io.ReadAll(in)
			ended <- err
		default:
			_, err := out.Write(make([]byte, 3<<20))
			ended <- err
		}
		return peer.DataAnswer{}
	})
	if _, err := q.Data.Ask(queuetest.Context(t), "default", peer.DataRequest{Op: peer.DataHello, Tenant: "acme"}, nil, nil); !errors.Is(err,
		natsio.ErrUnavailable) {
		t.Errorf("a worker that refuses: %v", err)
	}
	broken := errors.New("the client left")
	if _, err := q.Data.Ask(queuetest.Context(t), "default", r, nil, failing{broken}); !errors.Is(err, broken) {
		t.Errorf("a client that left: %v", err)
	}
	if err := queuetest.Receive(t, ended, "end of the export"); err == nil {
		t.Error("the worker wrote everything to a client that left")
	}
	if _, err := q.Data.Ask(queuetest.Context(t), "default", peer.DataRequest{Op: peer.DataImport, Tenant: "acme"}, nil, nil); err == nil {
		t.Error("a worker read an input that there was not")
	}
	if err := queuetest.Receive(t, ended, "end of the import"); err == nil {
		t.Error("the worker read an input that there was not")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Data.Ask(ctx, "default", r, nil, io.Discard); err == nil {
		t.Error("a request that was given up has an answer")
	}
}

type failing struct{ err error }

// Write implements [io.Writer].
func (f failing) Write([]byte) (int, error) { return 0, f.err }
