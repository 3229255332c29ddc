package dispatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// TestAnswerBounds: results of an answer that is too large for its transport are named by
// reference, the largest first, and calls.get brings them back.
func TestAnswerBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	large, small := json.RawMessage(`{"a":"`+strings.Repeat("x", 5000)+`"}`), json.RawMessage(`{}`)
	ctx := WithAnswer(local(t), Answer{Inline: 10_000, Limit: 4000})
	res, err := w.d.Execute(ctx, request(sent("c1", "echo", string(small)), sent("c2", "echo", string(large))))
	if err != nil {
		t.Fatal(err)
	}
	got := elements(t, res.Results...)
	if got[0].ResultRef != nil || string(got[0].Result) != string(small) {
		t.Errorf("the small result = %+v, want it in the answer", got[0])
	}
	if ref := got[1].ResultRef; ref == nil || got[1].Result != nil || ref.Size != int64(len(large)) {
		t.Fatalf("the large result = %+v, want a reference", got[1])
	}
	again := WithAnswer(local(t), Answer{Inline: 100_000})
	if back, err := w.d.inline(again, res.Results[1]); err != nil || string(elements(t, back)[0].Result) != string(large) {
		t.Errorf("inlined it is %.80s, %v", back, err)
	}
	less := ShareAnswer(again, 50)
	if back, err := w.d.inline(less, res.Results[1]); err != nil || elements(t, back)[0].ResultRef == nil {
		t.Errorf("beyond the room it is %.80s, %v, want a reference", back, err)
	}
	// What is left are references, so the answer cannot become smaller.
	_, err = w.d.Execute(WithAnswer(local(t), Answer{Inline: 10_000, Limit: 100}),
		request(sent("c1", "echo", string(small)), sent("c2", "echo", string(large))))
	wantKind(t, "an answer beyond the bound", err, TooLarge)
}

// TestResult: the bare result of a call is read by those who may see the call.
func TestResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.execute(local(t), t, w.d, request(sent("c1", "echo", `{"a":1}`), sent("c2", "fail", "")))
	body, size, err := w.d.Result(as(t, "ann"), "acme", "c1")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(body); err != nil || string(data) != `{"a":1}` || size != int64(len(data)) {
		t.Errorf("Result = %s, %d, %v", data, size, err)
	}
	_, _, err = w.d.Result(as(t, "bob"), "acme", "c1")
	wantKind(t, "the result of somebody else", err, NotFound)
	_, _, err = w.d.Result(as(t, "ann"), "acme", "c2")
	wantKind(t, "the result of a failed call", err, NotFound)
	_, _, err = w.d.Result(as(t, "ann"), "acme", "c3")
	wantKind(t, "the result of an unknown call", err, NotFound)
}

// TestStoredObject: a result in the object store is opened, and its reference is kept once
// the object is gone.
func TestStoredObject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	value := []byte(`"` + strings.Repeat("x", 1000) + `"`)
	ref, err := w.worker.Results.StoreResult(t.Context(), "acme", "c1", "result", value)
	if err != nil {
		t.Fatal(err)
	}
	gone := *ref
	gone.Object += "-gone"
	for id, r := range map[string]*protocol.ResultRef{"c1": ref, "c2": &gone} {
		d := &queue.Delivery{Call: w.queued("ann", "bot")}
		d.ID = id
		data, err := call.EncodeResult(&protocol.Result{
			CallID:    id,
			Tool:      "hold",
			Status:    protocol.StatusSuccess,
			State:     protocol.StateDone,
			ResultRef: r,
			TextRef:   r,
			Owner:     d.Owner(),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.trail.End(t.Context(), "default", "d-1", data, &protocol.AuditRecord{
			ID:     "f-" + id,
			CallID: id,
			Tenant: "acme",
			Phase:  protocol.AuditFinished,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := w.d.Get(as(t, "ann"), "acme", "c1"); err != nil || !bytes.Equal(elements(t, data)[0].Result, value) {
		t.Errorf("Get = %.80s, %v, want the value", data, err)
	}
	if data, err := w.d.Get(as(t, "ann"), "acme", "c2"); err != nil || elements(t, data)[0].ResultRef == nil {
		t.Errorf("Get without the object = %.80s, %v, want the reference", data, err)
	}
	body, size, err := w.d.Result(as(t, "ann"), "acme", "c1")
	if err != nil || size != int64(len(value)) {
		t.Fatalf("Result = %d, %v", size, err)
	}
	_ = body.Close()
	_, _, err = w.d.Result(as(t, "ann"), "acme", "c2")
	wantKind(t, "a result whose object is gone", err, NotFound)
}

// TestFull: while the store takes nothing, calls are refused with the reason, and those
// that were accepted before are joined.
func TestFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := request(sent("c1", "echo", `{}`))
	w.execute(local(t), t, w.d, req)
	own := sent("c2", "echo", "")
	out := w.d.full(&req, &own, &streams.Shortage{What: "the results stream is full", Advice: "raise its bound"}, "the results stream is full")
	if el := elements(t, out.element)[0]; out.overloaded == 0 || out.reason != "the results stream is full" ||
		!strings.Contains(el.Message, "raise its bound") {
		t.Errorf("full = %+v, %s", out, out.element)
	}
	if out := w.d.unrecorded(&req, &Call{}, natsio.ErrUnavailable); !errors.Is(out.err, natsio.ErrUnavailable) {
		t.Errorf("unrecorded = %+v, want the error", out)
	}
	for id, want := range map[string]bool{"c1": true, "c2": false} {
		if got := w.d.known(t.Context(), &req, &Call{Call: call.Call{ID: id}}, false); got != want {
			t.Errorf("%s was accepted before: %v, want %v", id, got, want)
		}
	}
}
