package trail

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

func trailOf(b *bus.Bus) Trail { return Trail{b, telemetry.NewMetrics(), zap.NewNop()} }

func refusal(id string) *audit.Record {
	return &audit.Record{AuditID: id, Phase: audit.Refused, Tenant: "acme", CallID: "c", Tool: "echo"}
}

// stored is what is on the trail.
func stored(t *testing.T, b *bus.Bus) (all []audit.Record) {
	t.Helper()
	err := b.ReadAudit(bustest.Context(t), 1, 1<<60, "acme", func(m bus.AuditMessage) error {
		r, err := audit.Decode(m.Data)
		all = append(all, r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWrite stores every record, and names who wrote it where nobody is named.
func TestWrite(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	tr, ctx := trailOf(b), bustest.Context(t)
	another := refusal("r-2")
	another.Worker = "w-lost"
	for _, r := range []*audit.Record{refusal("r-1"), refusal("r-1"), another} {
		if err := tr.Write(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	got := stored(t, b)
	if len(got) != 3 || got[0].Worker != b.ID() || got[2].Worker != "w-lost" {
		t.Errorf("on record: %+v, want all three, with the processes they tell of", got)
	}
}

// TestWriteOnce has two processes write the same record.
func TestWriteOnce(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	a, b := bustest.Connect(t, srv), bustest.Connect(t, srv)
	for _, by := range []*bus.Bus{a, b, a} {
		if err := trailOf(by).WriteOnce(bustest.Context(t), refusal("r-1")); err != nil {
			t.Fatal(err)
		}
	}
	if got := stored(t, b); len(got) != 1 || got[0].Worker != a.ID() {
		t.Errorf("on record: %+v, want the record once, by the first", got)
	}
}

func TestWriteFails(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t), func(o *bus.Options) { o.AuditMaxBytes = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tr := trailOf(b)
	for name, write := range map[string]func(context.Context, *audit.Record) error{"Write": tr.Write, "WriteOnce": tr.WriteOnce} {
		if err := write(bustest.Context(t), refusal("r")); !errors.Is(err, bus.ErrFull) {
			t.Errorf("%s on a full trail = %v, want ErrFull", name, err)
		}
		if err := write(bustest.Context(t), &audit.Record{Tenant: "acme"}); err == nil {
			t.Errorf("%s of a record without a phase succeeded", name)
		}
		if err := write(ctx, refusal("r")); !errors.Is(err, context.Canceled) && !errors.Is(err, bus.ErrFull) {
			t.Errorf("%s with a context that has ended = %v", name, err)
		}
	}
}

// TestRefusal: only a full trail is for good.
func TestRefusal(t *testing.T) {
	t.Parallel()
	if e, ok := errors.AsType[*tool.Error](Refusal(bus.ErrFull)); !ok || e.Kind != tool.Internal {
		t.Errorf("Refusal(ErrFull) = %v, want what the call ends in", Refusal(bus.ErrFull))
	}
	if err := Refusal(bus.ErrUnavailable); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Refusal(ErrUnavailable) = %v, want it as it is", err)
	}
}
