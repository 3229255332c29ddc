package trail

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
)

// final returns the final record of an attempt of a call.
func final(call string, attempt int) *protocol.AuditRecord {
	return &protocol.AuditRecord{
		ID:      fmt.Sprintf("f-%s-%d", call, attempt),
		Phase:   protocol.AuditFinished,
		Tenant:  "acme",
		CallID:  call,
		Tool:    "echo",
		Attempt: attempt,
	}
}

// group stores results of calls in one message.
func group(t *testing.T, q *queue.Queue, id string, calls ...string) {
	t.Helper()
	var all []queue.GroupedResult
	for _, call := range calls {
		record, err := audit.Encode(final(call, 1))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, queue.GroupedResult{CallID: call, Element: []byte("{}"), Record: record})
	}
	done := make(chan error, 1)
	q.Results.FinishGroup("acme", "default", "d-1", id, all, func(err error) { done <- err })
	if err := queuetest.Receive(t, done, "acknowledgement"); err != nil {
		t.Fatal(err)
	}
}

// alone stores a result by itself.
func alone(t *testing.T, q *queue.Queue, pool, call string, attempt int) {
	t.Helper()
	if err := trailOf(q).End(queuetest.Context(t), pool, "d-1", []byte("{}"), final(call, attempt)); err != nil {
		t.Fatal(err)
	}
}

// told returns the records on the trail: of each the id, the phase and the place of the group.
func told(t *testing.T, q *queue.Queue) (all []string) {
	t.Helper()
	err := stream.On(q.Conn).Read(queuetest.Context(t), 1, 1<<60, "acme", func(m stream.Message) error {
		for _, line := range audit.Records(m.Tool, m.Data) {
			r, err := audit.Decode(line)
			if err != nil {
				return err
			}
			all = append(all, fmt.Sprintf("%s %s %d", r.ID, r.Phase, r.ResultSeq))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPumpOfGroups: of two results of a call the record of the later one is written as
// superseded, whichever of the two is in a group, also by a pump that took over in between.
// A worker of another pool supersedes nothing.
func TestPumpOfGroups(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	stop := pumping(t, q)
	group(t, q, "g1", "a", "b")
	alone(t, q, "default", "a", 2)
	alone(t, q, "default", "c", 2)
	alone(t, q, "gpu", "d", 1)
	caughtUp(t, q)
	stop()
	stop = pumping(t, q) // it reads the place of the first in its note
	group(t, q, "g2", "c", "d", "e")
	caughtUp(t, q)
	stop()
	stop = pumping(t, q)
	defer stop()
	alone(t, q, "default", "e", 2)
	group(t, q, "g3", "b", "f")
	caughtUp(t, q)
	want := []string{
		"f-a-1 finished 1", "f-b-1 finished 1", "f-a-2 superseded 0", "f-c-2 finished 0", "f-d-1 finished 0",
		"f-c-1 superseded 0", "f-d-1 finished 5", "f-e-1 finished 5", "f-e-2 superseded 0", "f-b-1 superseded 0", "f-f-1 finished 7",
	}
	if got := told(t, q); !slices.Equal(got, want) {
		t.Errorf("on the trail:\n%q, want\n%q", got, want)
	}
}

// TestPumpKeepsGroupsWhole: however a group lies among others it is written in one block,
// because a block covers whole messages.
func TestPumpKeepsGroupsWhole(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	var want []string
	for i := range 120 { // more than a block holds
		var calls []string
		for n := range i%queue.GroupResults + 1 {
			calls = append(calls, fmt.Sprintf("%d-%d", i, n))
			want = append(want, fmt.Sprintf("f-%d-%d-1 finished %d", i, n, i+1))
		}
		group(t, q, fmt.Sprint(i), calls...)
	}
	stop := pumping(t, q)
	caughtUp(t, q)
	stop()
	pumping(t, q, func(p *Pump) { // which has lost its note
		if err := p.Note.Delete(t.Context(), noteWritten); err != nil {
			t.Error(err)
		}
	})
	caughtUp(t, q)
	if got := told(t, q); !slices.Equal(got, want) {
		t.Errorf("%d records are on the trail, want %d, each once and in order", len(got), len(want))
	}
}

// TestFirstsAreBounded: old calls are forgotten, unless nothing was stored meanwhile.
func TestFirstsAreBounded(t *testing.T) {
	t.Parallel()
	var s firsts
	at := time.Now()
	add := func(call string, after time.Duration) bool { return s.add("acme", "default", call, at.Add(after)) }
	add("a", 0)
	if add("a", time.Hour) {
		t.Error("a is forgotten although nothing was stored in between")
	}
	if !add("b", time.Hour) || add("b", time.Hour) {
		t.Error("b is not the first result of its call once")
	}
	add("c", 2*time.Hour)
	if add("d", 3*time.Hour); !add("b", 3*time.Hour) {
		t.Error("b is remembered after its time")
	}
	for i := range 3*firstsMost + 10 {
		add(fmt.Sprint(i), 3*time.Hour)
	}
	if n := len(s.now) + len(s.before); n > 2*firstsMost {
		t.Errorf("%d calls are remembered, want at most %d", n, 2*firstsMost)
	}
}

// TestSupersededIsProven: the record of a second result, which the pump changes, has the pump's
// proof in place of the worker's. A forged one stays as it is, so that the sealer finds it.
func TestSupersededIsProven(t *testing.T) {
	t.Parallel()
	d, err := proof.NewDispatcher(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	w, err := proof.NewWorker()
	if err := errors.Join(err, d.Put("d", d.Key()), w.Put("d", d.Key())); err != nil {
		t.Fatal(err)
	}
	check := proof.NewChecker(d).Check
	p := &Pump{Proof: d, Prove: check}
	genuine, forged := final("c", 2), final("c", 2)
	genuine.Worker, forged.Worker = w.ID(), w.ID()
	data, err := encode(w, genuine)
	if err != nil {
		t.Fatal(err)
	}
	lie, err := encode(nil, forged)
	if err != nil {
		t.Fatal(err)
	}
	changed := p.superseded(data)
	r, err := audit.Decode(changed)
	if err != nil || r.Phase != protocol.AuditSuperseded || r.Worker != w.ID() {
		t.Fatalf("the record is %s, %v, want superseded, of the worker", changed, err)
	}
	if got := check(changed, proof.Claim{Worker: []byte(r.Worker), Phase: []byte(r.Phase)}); got != proof.Proven {
		t.Errorf("the changed record is %v, want proven", got)
	}
	if got := p.superseded(lie); !bytes.Equal(got, lie) {
		t.Errorf("a forged record became %s", got)
	}
}
