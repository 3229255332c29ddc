package worker_test

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

const tenant = "acme"

// world is a server with Helve's streams, the bus of a test that plays the
// dispatcher, and what came of the tools.
type world struct {
	t   *testing.T
	cfg config.Config
	bus *bus.Bus
	js  jetstream.JetStream
	// entered gets the id of each call whose tool runs; it goes on at leave.
	entered chan string
	leave   chan struct{}
	// arguments are those of the calls that are queued.
	arguments string
}

func newWorld(t *testing.T, tune func(*config.Config)) *world {
	t.Helper()
	srv := bustest.Server(t)
	w := &world{t: t, cfg: config.Default(), entered: make(chan string, 100), leave: make(chan struct{}), arguments: `{}`}
	w.cfg.NATS.URL, w.cfg.Data, w.cfg.Worker.AckWait = srv.URL(), t.TempDir(), time.Second
	if tune != nil {
		tune(&w.cfg)
	}
	w.bus = bustest.Connect(t, srv, func(o *bus.Options) { *o = bus.FromConfig(w.cfg, "dispatcher", nil) })
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if w.js, err = jetstream.New(nc); err != nil {
		t.Fatal(err)
	}
	if err := w.bus.EnsurePool(bustest.Context(t), "default"); err != nil {
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
		Name: "look", Description: "Looks.", Risk: tool.Low, Mutates: false, Idempotent: true, Timeout: time.Minute,
		Run: func(_ context.Context, call *tool.Call, _ struct{}) (string, error) {
			w.entered <- call.ID
			<-w.leave
			return "seen", nil
		},
	})
	kit, err := telemetry.NewKit(w.t.Context(), telemetry.KitFromConfig(w.cfg, "test"), io.Discard)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	up, down := make(chan string, 1), make(chan error, 1)
	go func() { down <- worker.Embed(ctx, w.cfg, kit, func(id string) { up <- id }, set) }()
	w.t.Cleanup(func() {
		stop()
		if err := <-down; err != nil {
			w.t.Errorf("the worker ended with %v", err)
		}
		kit.Close(context.Background())
	})
	bustest.Receive(w.t, up, "worker")
}

// queue queues a call of look that was accepted so long ago.
func (w *world) queue(id string, ago time.Duration) {
	w.t.Helper()
	accepted := time.Now().Add(-ago)
	done := make(chan error, 1)
	w.bus.Submit(&bus.Envelope{
		CallID: id, TraceID: "t", Tool: "look", Origin: w.bus.ID(), Arguments: []byte(w.arguments), Tenant: tenant, Pool: "default",
		AcceptedMS: accepted.UnixMilli(), StartByMS: accepted.Add(time.Minute).UnixMilli(),
	}, func(err error) { done <- err })
	if err := bustest.Receive(w.t, done, "acknowledgement"); err != nil {
		w.t.Fatal(err)
	}
}

// fail takes a call off the queue as a worker that is lost: it comes again.
func (w *world) fail(deliveries int) {
	w.t.Helper()
	for range deliveries {
		batch, err := w.consumer().Fetch(1, jetstream.FetchMaxWait(bustest.Patience))
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

// store stores the result of a call, as whoever el names.
func (w *world) store(el bus.Element) {
	w.t.Helper()
	el.Tool, el.State = "look", bus.StateDone
	data, err := el.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.bus.FinishWait(bustest.Context(w.t), tenant, w.bus.ID(), el.CallID, data); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) consumer() jetstream.Consumer {
	w.t.Helper()
	c, err := w.js.Consumer(bustest.Context(w.t), bus.StreamCalls, "default")
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// emptied waits until the queue is empty.
func (w *world) emptied() {
	w.t.Helper()
	bustest.Until(w.t, "the queue is empty", func() bool {
		s, err := w.js.Stream(bustest.Context(w.t), bus.StreamCalls)
		return err == nil && s.CachedInfo().State.Msgs == 0
	})
}

// result is the stored result of a call.
func (w *world) result(id string) *bus.Element {
	w.t.Helper()
	stored, err := w.bus.Result(bustest.Context(w.t), tenant, id)
	if err != nil || stored == nil {
		w.t.Fatalf("the result of %s: %v, %v", id, stored, err)
	}
	el, err := bus.DecodeElement(stored.Element)
	if err != nil {
		w.t.Fatal(err)
	}
	return el
}

// records are those that are on the trail.
func (w *world) records() (all []audit.Record) {
	w.t.Helper()
	err := w.bus.ReadAudit(bustest.Context(w.t), 1, 1<<60, tenant, func(m bus.AuditMessage) error {
		var r audit.Record
		if err := json.Unmarshal(m.Data, &r); err != nil {
			return err
		}
		all = append(all, r)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}
