package callback

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
)

// lost waits until a callback has ended without a result, and returns its record.
func (b *bench) lost(k callbacks.Key) *protocol.AuditRecord {
	b.t.Helper()
	if got := b.ended(k); got != NoResult {
		b.t.Errorf("outcome %s, want %s", got, NoResult)
	}
	b.records.mu.Lock()
	defer b.records.mu.Unlock()
	if len(b.records.all) != 1 || b.records.all[0].Phase != protocol.AuditCallbackFailed || b.records.all[0].CallID != k.CallID ||
		b.records.all[0].User != "ann" {
		b.t.Fatalf("records %+v", b.records.all)
	}
	return b.records.all[0]
}

// TestEachLossIsOnRecord: a callback whose result is not there, is gone or is of another call
// does not end without a record.
func TestEachLossIsOnRecord(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*bench, callbacks.Key) error
		detail string
	}{
		"no result": {func(*bench, callbacks.Key) error { return nil }, "no result that is stored"},
		"another call": {func(b *bench, _ callbacks.Key) error {
			b.results.Store("acme/c1", `{"tool":"echo","owner":{"user":"bob"}}`)
			return nil
		}, "of another call"},
		"the copy is gone": {func(b *bench, k callbacks.Key) error {
			ctx := b.t.Context()
			c, revision, err := b.Store.Read(ctx, k)
			if err != nil {
				return err
			}
			c.State, c.DueMS = callbacks.Due, time.Now().UnixMilli()
			return errors.Join(b.Store.StoreBody(ctx, k, c, []byte(element("c1"))), b.Store.RemoveBody(ctx, k), b.Store.Change(ctx, k, *c, revision))
		}, "not stored any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
			k := b.acceptAs("acme", "c1", b.hook.URL+"/canary", time.Now().Add(lastLooks/2-b.Store.Kept()))
			if err := tt.change(b, k); err != nil {
				t.Fatal(err)
			}
			b.start()
			if r := b.lost(k); !strings.Contains(r.Detail, tt.detail) || !strings.Contains(r.Detail, host(b.hook)) ||
				strings.Contains(r.Detail, "canary") {
				t.Errorf("the record is %q, want %q", r.Detail, tt.detail)
			}
			b.silent()
		})
	}
}

// TestProgramsCallbackIsKept: the callback of a program that has not ended does not expire, however
// old it is, and is sent when the program ends. The callback of another call is given up.
func TestProgramsCallbackIsKept(t *testing.T) {
	t.Parallel()
	var ended, sent atomic.Bool
	b := newBench(t, func(http.ResponseWriter, *http.Request) { sent.Store(true) })
	b.Alive = func(tenant, callID string) bool { return tenant == "acme" && callID == "program" && !ended.Load() }
	accepted := time.Now().Add(-20 * 24 * time.Hour)
	k, other := b.acceptAs("acme", "program", b.hook.URL, accepted), b.acceptAs("acme", "other", b.hook.URL, accepted)
	b.start()
	if got := b.ended(other); got != NoResult {
		t.Errorf("the callback of a call that is no program ended in %s", got)
	}
	queuetest.Until(t, "it is stored again", func() bool {
		c, _, err := b.Store.Read(queuetest.Context(t), k)
		return err == nil && c != nil && c.State == callbacks.Waits && time.Since(c.Since()) < time.Hour && c.Call.AcceptedMS == accepted.UnixMilli()
	})
	ended.Store(true)
	b.finish("program")
	if err := b.q.Results.FinishWait(queuetest.Context(t), "acme", "default", "d-1", "program", []byte(element("program")), nil); err != nil {
		t.Fatal(err)
	}
	if got := b.ended(k); got != Delivered || !sent.Load() {
		t.Errorf("the callback of the program ended in %s", got)
	}
}

// TestRenewedCallbackIsGivenUp: a callback that was kept for a program is given up like any other
// when the program is gone without a result.
func TestRenewedCallbackIsGivenUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
	k := b.acceptAs("acme", "program", b.hook.URL, time.Now().Add(-20*24*time.Hour))
	c, revision, err := b.Store.Read(queuetest.Context(t), k)
	if err != nil {
		t.Fatal(err)
	}
	c.RenewedMS = time.Now().Add(lastLooks/2 - b.Store.Kept()).UnixMilli()
	if err := b.Store.Change(queuetest.Context(t), k, *c, revision); err != nil {
		t.Fatal(err)
	}
	b.Alive = func(string, string) bool { return false }
	b.start()
	b.lost(k)
}

// TestFullStreamLosesNothingSilently: a result that finds no room for its copy, is not taken,
// and expires where it is stored, is on record.
func TestFullStreamLosesNothingSilently(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	var b *bench
	b = newBench(t, func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		b.results.Clear() // its time is over
		w.WriteHeader(http.StatusInternalServerError)
	}, func(o *queue.Options) { o.CallbacksMaxMessages = 1 })
	k := b.accept("c1", b.hook.URL)
	if err := b.Store.StoreBody(t.Context(), k, &callbacks.Callback{}, []byte("x")); !errors.Is(err, natsio.ErrFull) {
		t.Fatalf("StoreBody = %v, want no room", err)
	}
	b.finish("c1")
	b.start()
	if r := b.lost(k); !strings.Contains(r.Detail, "there was no room") || n.Load() != 1 {
		t.Errorf("the record is %q after %d attempts", r.Detail, n.Load())
	}
}
