package trail

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func trailOf(q *queue.Queue) Writer {
	return Writer{Queue: q, Metrics: telemetry.NewMetrics(), Log: zap.NewNop()}
}

func refusal(id string) *protocol.AuditRecord {
	return &protocol.AuditRecord{ID: id, Phase: protocol.AuditRefused, Tenant: "acme", CallID: "c", Tool: "echo"}
}

// stored returns the records on the trail.
func stored(t *testing.T, q *queue.Queue) (all []protocol.AuditRecord) {
	t.Helper()
	err := stream.On(q.Conn).Read(queuetest.Context(t), 1, 1<<60, "acme", func(m stream.Message) error {
		for _, line := range audit.Records(m.Tool, m.Data) {
			r, err := audit.Decode(line)
			if all = append(all, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWrite stores every record, and names who wrote it where nobody is named.
func TestWrite(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	tr, ctx := trailOf(q), queuetest.Context(t)
	another := refusal("r-2")
	another.Worker = "w-lost"
	for _, r := range []*protocol.AuditRecord{refusal("r-1"), refusal("r-1"), another} {
		if err := tr.Write(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	got := stored(t, q)
	if len(got) != 3 || got[0].Worker != q.Conn.ID() || got[2].Worker != "w-lost" {
		t.Errorf("on record: %+v, want all three, with the processes they tell of", got)
	}
}

// TestEnd stores a result and its record in one message, the first of two.
func TestEnd(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	a, q := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	if err := trailOf(a).End(ctx, "default", "d-1", []byte("first"), refusal("f-c-1")); err != nil {
		t.Fatal(err)
	}
	if err := trailOf(q).End(ctx, "default", "d-1", []byte("second"), refusal("f-c-2")); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("the second end of a call = %v, want ErrExists", err)
	}
	if got := stored(t, q); len(got) != 0 {
		t.Errorf("on the trail without a pump: %+v", got)
	}
	if got := finals(t, q); len(got) != 1 || got[0].ID != "f-c-1" || got[0].Worker != a.Conn.ID() {
		t.Errorf("stored with results: %+v, want the record of the first end, by its process", got)
	}
}

func TestWriteFails(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.AuditMaxBytes = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tr := trailOf(q)
	for name, write := range map[string]func(context.Context, *protocol.AuditRecord) error{"Write": tr.Write} {
		if err := write(queuetest.Context(t), refusal("r")); !errors.Is(err, natsio.ErrFull) {
			t.Errorf("%s on a full trail = %v, want ErrFull", name, err)
		}
		if err := write(queuetest.Context(t), &protocol.AuditRecord{Tenant: "acme"}); err == nil {
			t.Errorf("%s of a record without a phase succeeded", name)
		}
		if err := write(ctx, refusal("r")); !errors.Is(err, context.Canceled) && !errors.Is(err, natsio.ErrFull) {
			t.Errorf("%s with a context that has ended = %v", name, err)
		}
	}
}

// TestRefusal tests that only a full trail is a permanent error.
func TestRefusal(t *testing.T) {
	t.Parallel()
	if e, ok := errors.AsType[*tool.Error](Refusal(natsio.ErrFull)); !ok || e.Kind != tool.Internal {
		t.Errorf("Refusal(ErrFull) = %v, want what the call ends in", Refusal(natsio.ErrFull))
	}
	if err := Refusal(natsio.ErrUnavailable); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Refusal(ErrUnavailable) = %v, want it as it is", err)
	}
}
