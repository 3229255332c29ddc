package queue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// keeps has a worker of the pool answer requests about personal data.
func keeps(t *testing.T, q *queue.Queue, answer queue.DataServer) {
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
	var got queue.DataRequest
	keeps(t, worker, func(_ context.Context, r queue.DataRequest, in io.Reader, out io.Writer) queue.DataAnswer {
		got = r
		n, err := io.Copy(out, in)
		if err != nil {
			return queue.DataAnswer{Kind: "internal", Message: err.Error()}
		}
		result, _ := json.Marshal(n)
		return queue.DataAnswer{Store: "s", Result: result}
	})
	want := queue.DataRequest{Op: queue.DataImport, Tenant: "acme", Person: "ann", Format: "csv", Replace: true}
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
	r := queue.DataRequest{Op: queue.DataExport, Tenant: "acme", Person: "ann"}
	if _, err := q.Data.Ask(queuetest.Context(t), "nobody", r, nil, nil); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("without a worker: %v", err)
	}
	ended := make(chan error, 10)
	keeps(t, worker, func(_ context.Context, r queue.DataRequest, in io.Reader, out io.Writer) queue.DataAnswer {
		switch r.Op {
		case queue.DataHello:
			return queue.DataAnswer{Refused: true}
		case queue.DataImport:
			_, err := io.ReadAll(in)
			ended <- err
		default:
			_, err := out.Write(make([]byte, 3<<20))
			ended <- err
		}
		return queue.DataAnswer{}
	})
	if _, err := q.Data.Ask(queuetest.Context(t), "default", queue.DataRequest{Op: queue.DataHello, Tenant: "acme"}, nil, nil); !errors.Is(err,
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
	if _, err := q.Data.Ask(queuetest.Context(t), "default", queue.DataRequest{Op: queue.DataImport, Tenant: "acme"}, nil, nil); err == nil {
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

// TestForgetTimers: the timers of one person go, and those of others stay.
func TestForgetTimers(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	other := someTask
	other.Person = "ben"
	for _, task := range []queue.Task{someTask, other} {
		for _, in := range []time.Duration{-time.Second, time.Hour, 100 * time.Hour} {
			if err := q.Scheduled.Set(ctx, task, time.Now().Add(in)); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() uint64 {
		s, err := q.Conn.JetStream().Stream(ctx, queue.StreamSchedules)
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().State.Msgs
	}
	queuetest.Until(t, "the late timers fired", func() bool { return left() == 6 })
	if err := q.Scheduled.Forget(ctx, someTask.Tenant, someTask.Person); err != nil || left() != 3 {
		t.Errorf("%d messages are left: %v, want those of ben", left(), err)
	}
	if err := q.Scheduled.ForgetTask(ctx, other); err != nil || left() != 0 {
		t.Errorf("%d messages are left: %v", left(), err)
	}
	if err := q.Scheduled.ForgetTask(ctx, queue.Task{Tenant: "acme", Pool: "default", Person: "*", ID: ">"}); err == nil {
		t.Error("a task of no name is forgotten")
	}
}

// TestTimerIsSetAgain: setting the timer of a task again, however often, adds none, also
// for a task that is due in months.
func TestTimerIsSetAgain(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	for _, at := range []time.Time{time.Now().Add(time.Hour), time.Now().Add(1000 * time.Hour), time.Now().Add(1001 * time.Hour)} {
		for range 3 {
			if err := q.Scheduled.Set(ctx, someTask, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := q.Conn.JetStream().Stream(ctx, queue.StreamSchedules)
	if err != nil || s.CachedInfo().State.Msgs > 3 { // 3 if a minute before its time of day passed meanwhile
		t.Errorf("%d timers, want 2: %v", s.CachedInfo().State.Msgs, err)
	}
}
