package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/worker"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const tenant = "acme"

// world is a server with Helve's streams, and NATS of a test that acts as the
// dispatcher.
type world struct {
	log   io.Writer // of the worker
	t     *testing.T
	cfg   config.Config
	queue *queue.Queue
	js    jetstream.JetStream
	// entered gets the id of each call whose tool runs; it goes on at leave.
	entered chan string
	leave   chan struct{}
	// arguments are those of the calls that are queued.
	arguments string
	// moves is the number of moves of the calls that are queued.
	moves int
	// mutates gives the tool side effects.
	mutates bool
	// restart stops the server and starts it again.
	restart func()
}

func newWorld(t *testing.T, tune func(*config.Config)) *world {
	t.Helper()
	dir := t.TempDir()
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Stop() })
	w := &world{t: t, cfg: config.Default(), entered: make(chan string, 100), leave: make(chan struct{}), arguments: `{}`, log: io.Discard}
	w.cfg.NATS.URL, w.cfg.Data, w.cfg.Worker.AckWait = srv.URL(), t.TempDir(), time.Second
	if tune != nil {
		tune(&w.cfg)
	}
	w.queue = queuetest.Connect(t, srv, func(o *queue.Options) {
		*o = queue.FromConfig(w.cfg, "dispatcher", nil)
		o.Accepts = false // so that bounds stay as tests set them
	})
	w.restart = func() {
		srv.Stop()
		if srv, err = embedded.Start(embedded.Options{Addr: strings.TrimPrefix(srv.URL(), "nats://"), Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if w.js, err = jetstream.New(nc); err != nil {
		t.Fatal(err)
	}
	if err := w.queue.Calls.EnsurePool(queuetest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	return w
}

// start runs a worker whose one tool, look, waits for leave and changes
// nothing. It drains at the end of the test.
func (w *world) start() {
	w.t.Helper()
	set := tool.NewSet("Test", "test")
	tool.Add(set, tool.Spec[struct{}, string]{
		Name: "look", Description: "Looks.", Risk: tool.Low, Mutates: w.mutates, Idempotent: !w.mutates, Timeout: time.Minute,
		Run: func(_ context.Context, call *tool.Call, _ struct{}) (string, error) {
			w.entered <- call.ID
			<-w.leave
			return "seen", nil
		},
	})
	kit, err := telemetry.NewKit(w.t.Context(), telemetry.KitFromConfig(w.cfg, "test"), w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	up, down := make(chan string, 1), make(chan error, 1)
	go func() {
		down <- worker.Program{Sets: []*tool.Set{set}}.Embed(ctx, w.cfg, kit, func(id string) { up <- id })
	}()
	w.t.Cleanup(func() {
		stop()
		if err := <-down; err != nil {
			w.t.Errorf("the worker ended with %v", err)
		}
		kit.Close(context.Background())
	})
	queuetest.Receive(w.t, up, "worker")
}

// enqueue queues a call of look that was accepted so long ago.
func (w *world) enqueue(id string, ago time.Duration) {
	w.t.Helper()
	accepted := time.Now().Add(-ago)
	done := make(chan error, 1)
	w.queue.Calls.Submit(&call.Call{
		ID: id, TraceID: "t", Tool: "look", Origin: w.queue.Conn.ID(), Arguments: []byte(w.arguments), Tenant: tenant, Pool: "default",
		AcceptedMS: accepted.UnixMilli(), StartByMS: accepted.Add(time.Minute).UnixMilli(),
		Moves: w.moves, Copy: w.moves > 0,
	}, func(err error) { done <- err })
	if err := queuetest.Receive(w.t, done, "acknowledgement"); err != nil {
		w.t.Fatal(err)
	}
}

// fail takes a call off the queue as a worker that is lost: it comes again.
func (w *world) fail(deliveries int) {
	w.t.Helper()
	for range deliveries {
		batch, err := w.consumer().Fetch(1, jetstream.FetchMaxWait(queuetest.Patience))
		if err != nil {
			w.t.Fatal(err)
		}
		for msg := range batch.Messages() {
			if err := msg.Nak(); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// begun stores that so many workers, which are gone, have begun a call.
func (w *world) begun(callID string, workers int) {
	w.t.Helper()
	for n := 2; n <= workers; n++ {
		worker := fmt.Sprint("w-lost-", n)
		if _, err := w.queue.Calls.Fence(queuetest.Context(w.t), tenant, fmt.Sprintf("%s=%d", callID, n), call.Fence{
			By: worker, Attempt: n,
		}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// store stores the result of a call, of the worker that el names.
func (w *world) store(el protocol.Result) {
	w.t.Helper()
	el.Tool, el.State = "look", protocol.StateDone
	data, err := call.EncodeResult(&el)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.queue.Results.FinishWait(queuetest.Context(w.t), tenant, "default", w.queue.Conn.ID(), el.CallID, data, nil); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) consumer() jetstream.Consumer {
	w.t.Helper()
	c, err := w.js.Consumer(queuetest.Context(w.t), streams.Calls, "default")
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// waits expects that some calls are in the queue and none is taken. The consumer counts a call
// a moment after its acknowledgement.
func (w *world) waits(calls uint64) {
	w.t.Helper()
	queuetest.Until(w.t, "the consumer counts what waits", func() bool {
		info := w.consumer().CachedInfo()
		return info.NumPending+uint64(info.NumAckPending) >= calls
	})
	if info := w.consumer().CachedInfo(); info.NumPending != calls || len(w.entered) != 0 {
		w.t.Errorf("the worker took a call: %d wait, %d run", info.NumPending, len(w.entered))
	}
}

// emptied waits until the queue is empty.
func (w *world) emptied() {
	w.t.Helper()
	queuetest.Until(w.t, "the queue is empty", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second) // what a restart loses is asked again
		defer cancel()
		s, err := w.js.Stream(ctx, streams.Calls)
		return err == nil && s.CachedInfo().State.Msgs == 0
	})
}

// result returns the stored result of a call.
func (w *world) result(id string) *protocol.Result {
	w.t.Helper()
	stored, err := w.queue.Results.Result(queuetest.Context(w.t), tenant, id)
	if err != nil || stored == nil {
		w.t.Fatalf("the result of %s: %v, %v", id, stored, err)
	}
	el, err := call.DecodeResult(stored.Element)
	if err != nil {
		w.t.Fatal(err)
	}
	return el
}

// errRead ends a reader that waits for more than there is.
var errRead = errors.New("everything was read")

// records returns those of the trail, then those that are stored with results.
func (w *world) records() (all []protocol.AuditRecord) {
	w.t.Helper()
	add := func(data []byte) error {
		var r protocol.AuditRecord
		if err := json.Unmarshal(data, &r); err != nil {
			return err
		}
		all = append(all, r)
		return nil
	}
	err := stream.On(w.queue.Conn).Read(queuetest.Context(w.t), 1, 1<<60, tenant, func(m stream.Message) error { return add(m.Data) })
	if err != nil {
		w.t.Fatal(err)
	}
	err = stream.On(w.queue.Conn).FollowFinals(queuetest.Context(w.t), 1, func(f stream.Final) error {
		for _, record := range f.Records {
			if err := add(record); err != nil {
				return err
			}
		}
		return nil
	}, func() error { return errRead })
	if !errors.Is(err, errRead) {
		w.t.Fatal(err)
	}
	return all
}
