package data

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// keeping returns the operations on personal data over a server, for pools whose tools keep
// such data.
func keeping(t *testing.T, pools ...string) (Personal, *queue.Queue) {
	t.Helper()
	cat := catalog.New()
	for i, pool := range append(pools, "plain") {
		err := cat.Put(tool.Definition{
			Name:          "tool_" + pool,
			Group:         "g",
			Pool:          pool,
			Parameters:    json.RawMessage(`{}`),
			Enabled:       true,
			Transactional: i < len(pools),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	q := queuetest.Connect(t, queuetest.Server(t))
	return Personal{Asker: Asker{q, cat}, Sweep: func() {}}, q
}

// TestNoWorkerHoldsData: without a worker each operation ends immediately, with an error that names the command to use.
func TestNoWorkerHoldsData(t *testing.T) {
	t.Parallel()
	for _, pools := range [][]string{nil, {"default"}} {
		p, _ := keeping(t, pools...)
		ctx := queuetest.Context(t)
		_, importing := p.Import(ctx, "acme", "ann", "jsonl", strings.NewReader("x"), false)
		_, deleting := p.Delete(ctx, "acme", "ann")
		_, listing := p.Schedules(ctx, "acme", "", 10, "")
		_, reading := p.Schedule(ctx, "acme", "ann", "x")
		_, ending := p.DeleteSchedule(ctx, "acme", "ann", "x")
		for i, err := range []error{p.Export(ctx, "acme", "ann", "jsonl", io.Discard), importing, deleting, listing, reading, ending} {
			e, ok := errors.AsType[*api.RequestError](err)
			if !ok || e.Status != http.StatusServiceUnavailable || !strings.Contains(e.Msg, "helve data") {
				t.Errorf("pools %v, operation %d: %v", pools, i, err)
			}
		}
	}
}

// TestPoolsOfData: pools with one database are asked once, those with databases of their
// own each; an import is then refused.
func TestPoolsOfData(t *testing.T) {
	t.Parallel()
	p, q := keeping(t, "a", "b", "c")
	ctx := queuetest.Context(t)
	for pool, store := range map[string]string{"a": "one", "b": "two", "c": "one"} {
		err := q.Data.Serve(ctx, pool, func(context.Context, peer.DataRequest, io.Reader, io.Writer) peer.DataAnswer {
			return peer.DataAnswer{Store: store}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if pools, err := p.pools(ctx, "acme"); err != nil || !slices.Equal(pools, []string{"a", "b"}) {
		t.Errorf("pools %v, %v", pools, err)
	}
	_, err := p.Import(ctx, "acme", "ann", "jsonl", strings.NewReader("x"), false)
	if e, ok := errors.AsType[*api.RequestError](err); !ok || e.Status != http.StatusConflict || !strings.Contains(e.Msg, "store.url") {
		t.Errorf("an import into one of two databases: %v", err)
	}
}

// TestOneDeletionAtATime: a deletion waits for another one for some seconds, and is then
// refused.
func TestOneDeletionAtATime(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it waits for the end of a deletion")
	p, _ := keeping(t)
	ctx := queuetest.Context(t)
	began, end, done := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		done <- p.alone(ctx, func(context.Context) error {
			close(began)
			<-end
			return nil
		})
	}()
	<-began
	err := p.alone(ctx, func(context.Context) error { return errors.New("two at a time") })
	if e, ok := errors.AsType[*api.RequestError](err); !ok || e.Status != http.StatusConflict {
		t.Errorf("a second deletion: %v", err)
	}
	close(end)
	if err := queuetest.Receive(t, done, "end of the first deletion"); err != nil {
		t.Error(err)
	}
	failed := errors.New("the disk is full")
	if err := p.alone(ctx, func(context.Context) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("a deletion that failed: %v", err)
	}
}

// TestTimersWaitForWorkers: the tools of workers that are gone stay in the catalogue, and asking
// nobody for their tasks would only log a warning.
func TestTimersWaitForWorkers(t *testing.T) {
	t.Parallel()
	tools, live := catalog.New(), fleet.New()
	if pool := SweptPool(tools, live); pool != "" {
		t.Errorf("without tools the tasks are asked for in %q", pool)
	}
	if err := tools.Put(tool.Definition{Name: "create_scheduled_task", Pool: "default", Parameters: []byte(`{"type":"object"}`)}); err != nil {
		t.Fatal(err)
	}
	if pool := SweptPool(tools, live); pool != "" {
		t.Errorf("without workers the tasks are asked for in %q", pool)
	}
	live.Set(fleet.Live{"default": {{ID: "w"}}})
	if pool := SweptPool(tools, live); pool != "default" {
		t.Errorf("with a worker the tasks are asked for in %q, want its pool", pool)
	}
}

// TestTogether: the summaries of two databases have each collection once, the largest first.
func TestTogether(t *testing.T) {
	t.Parallel()
	one := protocol.DataSummary{Items: 3, Bytes: 30, Collections: []protocol.DataCollection{{Name: "notes", Items: 2, Bytes: 20}, {Name: "tasks", Items: 1, Bytes: 10}}}
	other := protocol.DataSummary{Items: 2, Bytes: 25, Collections: []protocol.DataCollection{{Name: "tasks", Items: 2, Bytes: 25}}}
	want := protocol.DataSummary{Items: 5, Bytes: 55, Collections: []protocol.DataCollection{{Name: "tasks", Items: 3, Bytes: 35}, {Name: "notes", Items: 2, Bytes: 20}}}
	if got := together(one, other); !reflect.DeepEqual(got, want) {
		t.Errorf("together they are %+v, want %+v", got, want)
	}
}
