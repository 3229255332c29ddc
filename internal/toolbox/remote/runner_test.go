package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// ahead is a store that holds what this process has not been told of.
type ahead struct {
	told

	holds map[string][]byte
	err   error
}

// Get implements [Bucket].
func (a ahead) Get(_ context.Context, key string) ([]byte, error) { return a.holds[key], a.err }

// LoadBelow implements [Bucket].
func (a ahead) LoadBelow(_ context.Context, prefix string, have func(string, []byte)) error {
	for key, value := range a.holds {
		if strings.HasPrefix(key, prefix+".") {
			have(key, value)
		}
	}
	return a.err
}

// process is a remote process with a fixed answer.
type process func(ctx context.Context, call peer.RemoteCall) ([]byte, error)

func (p process) AskRemote(ctx context.Context, call peer.RemoteCall) ([]byte, error) {
	return p(ctx, call)
}

func runner(t *testing.T, bucket Bucket, p process) *Runner {
	t.Helper()
	r, err := Open(t.Context(), bucket, catalog.NewTenants(catalog.New()), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	return NewRunner(r, p, func(context.Context) string { return "" })
}

func lit(hash string, mutates, idempotent bool) known {
	return known{tool.Definition{
		Name: "lamp.on", Kind: tool.KindRemote, Description: "d", Risk: tool.Low, Confirmation: tool.ConfirmNever, TimeoutSeconds: 1,
		Parameters: json.RawMessage(`{"type":"object"}`), Mutates: mutates, Idempotent: idempotent, Pool: "default",
	}, hash}
}

// TestLookupAheadOfTheNews: a call may be here before the news of its tool is.
func TestLookupAheadOfTheNews(t *testing.T) {
	t.Parallel()
	store := ahead{holds: map[string][]byte{"acme.tool.lamp.on": stored(t, lit("h1", false, false))}}
	r := runner(t, store, nil)
	if _, err := r.Lookup("acme", "lamp.on"); tool.AsError(err).Kind != tool.ToolNotAvailable {
		t.Errorf("a tool that nobody runs: %v, want tool_not_available", err)
	}
	store.holds["acme.instance.p1"] = stored(t, beat(time.Minute, "h1"))
	first, err := r.Lookup("acme", "lamp.on")
	if err != nil || first == nil || first.Tool.Name != "lamp.on" {
		t.Fatalf("Lookup = %v, %v, want the tool", first, err)
	}
	for key, value := range store.holds {
		r.change(key, value)
	}
	if again, err := r.Lookup("acme", "lamp.on"); again != first || err != nil {
		t.Errorf("Lookup makes the tool anew: %v", err)
	}
	store.holds["acme.tool.*"] = stored(t, lit("h1", false, false))
	for _, name := range []string{"horn", "*", ">", "../other.tool.horn", "lamp.on ", ""} {
		if e, err := r.Lookup("acme", name); e != nil || err != nil {
			t.Errorf("Lookup of %q, which there is not = %v, %v, want nothing", name, e, err)
		}
	}
	// Who agreed to the one definition has not agreed to the other.
	r.change("acme.tool.lamp.on", stored(t, lit("h2", true, false)))
	r.change("acme.instance.p1", stored(t, beat(time.Minute, "h2")))
	if changed, err := r.Lookup("acme", "lamp.on"); err != nil || changed.Tool.Identity == first.Tool.Identity || !changed.Tool.Mutates {
		t.Errorf("Lookup after a change = %+v, %v", changed, err)
	}
	away := errors.New("away")
	if e, err := runner(t, ahead{err: away}, nil).Lookup("acme", "lamp.on "); e != nil || err != nil {
		t.Errorf("the store was asked for what is no name: %v, %v", e, err)
	}
	if _, err := runner(t, ahead{err: away}, nil).Lookup("acme", "lamp.on"); !errors.Is(err, away) {
		t.Errorf("Lookup while the store is away = %v, want that said", err)
	}
}

// TestSilence: what it means that no answer came depends on why, and on what the tool does.
func TestSilence(t *testing.T) {
	t.Parallel()
	lost := fmt.Errorf("%w: closed", natsio.ErrUnavailable)
	ended := func(cause error) context.Context {
		ctx, stop := context.WithCancelCause(context.Background())
		stop(cause)
		return ctx
	}
	late, stop := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer stop()
	for _, tt := range []struct {
		name                string
		ctx                 context.Context
		err                 error
		mutates, idempotent bool
		want                tool.Kind
	}{
		{"late", late, late.Err(), false, false, tool.Timeout},
		{"late, and may run again", late, late.Err(), true, true, tool.Timeout},
		{"late, and acts", late, late.Err(), true, false, tool.OutcomeUnknown},
		{"lost", t.Context(), lost, false, false, tool.ExecutionError},
		{"lost, and acts", t.Context(), lost, true, false, tool.OutcomeUnknown},
		{"cancelled", ended(engine.ErrCancelled), context.Canceled, true, false, tool.Cancelled}, // the pipeline makes more of it
		{"nobody", t.Context(), peer.ErrNobody, true, false, tool.ToolNotAvailable},
		{"too large", t.Context(), peer.ErrTooLarge, true, false, tool.ValidationError},
	} {
		r := runner(t, told{}, func(context.Context, peer.RemoteCall) ([]byte, error) { return nil, tt.err })
		def := lit("h1", tt.mutates, tt.idempotent).Definition
		_, err := r.run(tt.ctx, &tool.Call{ID: "c1", Tenant: "acme"}, &def, nil)
		if got := tool.AsError(err).Kind; got != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		if tt.want == tool.OutcomeUnknown && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
			t.Errorf("%s: the pipeline would take %v for a tool that has stopped", tt.name, err)
		}
	}
}

// heard is a listener to events.
type heard []string

func (h *heard) Emit(kind string, data any) { *h = append(*h, fmt.Sprintf("%s %s", kind, data)) }

// TestProgressIsBounded: the progress reports of one call are bounded.
func TestProgressIsBounded(t *testing.T) {
	t.Parallel()
	var events heard
	r := runner(t, told{}, func(_ context.Context, call peer.RemoteCall) ([]byte, error) {
		call.Progress([]byte(strings.Repeat(" ", maxProgressSize) + "1"))
		for range maxProgress + 10 {
			call.Progress([]byte(`{"n": 1}`))
		}
		return []byte(`{"status": "success", "result": 1}`), nil
	})
	def := lit("h1", false, false).Definition
	if _, err := r.run(t.Context(), &tool.Call{Events: &events}, &def, nil); err != nil {
		t.Fatal(err)
	}
	if len(events) != maxProgress || events[0] != `progress {"n": 1}` {
		t.Errorf("%d events, the first %.40s, want %d of progress", len(events), events[0], maxProgress)
	}
}
