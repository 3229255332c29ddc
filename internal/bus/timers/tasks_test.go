package timers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/timers"
)

// TestAskAboutATask: a request reaches a worker of the task's pool that does not refuse it.
func TestAskAboutATask(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	dispatcher, worker, apart := queuetest.Connect(t, srv), queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	if _, err := dispatcher.Timers.Ask(ctx, someTask, timers.Request{}); err == nil ||
		!strings.Contains(err.Error(), "no worker of pool default") {
		t.Errorf("without a worker: %v", err)
	}
	want := timers.Work{
		Runs: []timers.Run{{CallID: "s-1", Tool: "calculate", Arguments: []byte(`{}`), Due: time.Unix(1, 0).UTC()}},
		Wake: time.Unix(2, 0).UTC(),
	}
	serve := func(q *queue.Queue, pool string, work timers.Work, err error) {
		t.Helper()
		serves := q.Timers.ServeTasks(ctx, pool, func(_ context.Context, task timers.Task, r timers.Request) (timers.Work, error) {
			if task != someTask && err == nil || len(r.Ended) != 1 {
				t.Errorf("asked about %v with %v", task, r)
			}
			return work, err
		})
		if serves != nil || q.Conn.Flush(ctx) != nil {
			t.Fatal(serves)
		}
	}
	serve(worker, "default", want, nil)
	serve(apart, "gpu", timers.Work{}, errors.New("the disk is full"))
	ended := timers.Request{Ended: []timers.Ended{{CallID: "s-0"}}}
	got, err := dispatcher.Timers.Ask(ctx, someTask, ended)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	other := someTask
	other.Pool = "gpu"
	if _, err := dispatcher.Timers.Ask(ctx, other, ended); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("of a worker that fails: %v", err)
	}
}

// TestWorkersRefuseTasks: workers that refuse are not asked without end.
func TestWorkersRefuseTasks(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	err := q.Timers.ServeTasks(ctx, "default", func(context.Context, timers.Task, timers.Request) (timers.Work, error) {
		return timers.Work{Refused: true}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Timers.Ask(ctx, someTask, timers.Request{}); err == nil ||
		!strings.Contains(err.Error(), "do not answer for its tasks") {
		t.Errorf("error %v", err)
	}
}
