package faults

import (
	"encoding/json"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// storeTrials are the boundaries of a call that acts in the store alone.
var storeTrials = []trial{
	{point: failpoint.StoreBeforeCommit},
	{point: failpoint.StoreInCommit},
	{point: failpoint.StoreAfterCommit},
	{point: failpoint.WorkerTaken},
	{point: failpoint.WorkerBeforeFence},
	{point: failpoint.WorkerAfterFence},
	{point: failpoint.WorkerAfterTool},
	{point: failpoint.QueuePublish},
	{point: failpoint.QueuePublish, hit: 2},
	{point: failpoint.QueueAck},
	{point: failpoint.QueueAck, hit: 2},
	{point: failpoint.WorkerAfterResult},
	{point: failpoint.QueueSettle},
	{point: failpoint.WorkerAfterAck},
}

// TestStoreFails strikes a worker at every boundary of a call that adds a note. The call
// always ends in success, with one result, and the note is stored once.
func TestStoreFails(t *testing.T) {
	for _, c := range storeTrials {
		for _, action := range actions {
			t.Run(c.name()+"/"+action, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				victim := w.worker(c.arm(action))
				d := w.dispatcher()
				asked := w.call(defaultTenant, "call-1", "add_note", map[string]any{"title": "one", "content": "note"})
				first := d.send(time.Minute, asked)
				victim.struck(c.point, action)
				if action != "error" {
					w.worker()
				}
				if action == "stop" && c.point == failpoint.StoreInCommit {
					// The file stays locked: others wait, and must not end the call.
					last(3 * time.Second)
					victim.signal(syscall.SIGCONT)
				}
				got := d.settle(t, asked)
				if action == "stop" {
					victim.signal(syscall.SIGCONT)
				}
				// Only a commit that certainly fails may end in an error.
				want := []string{"success"}
				if action == "error" && (c.point == failpoint.StoreBeforeCommit || c.point == failpoint.StoreInCommit) {
					want = append(want, "overloaded", "internal")
				}
				if !slices.Contains(want, got.outcome()) {
					t.Errorf("the call ended in %s (%s), want %v", got.outcome(), got.Message, want)
				}
				w.agreed(<-first, got)
				w.storedOnce(d, got)
				w.settled(d)
			})
		}
	}
}

// storedOnce compares the notes with the result of the one call that adds one.
func (w *world) storedOnce(d door, added element) {
	w.t.Helper()
	var saved struct {
		Note struct{ ID string } `json:"note"`
	}
	var listed struct {
		Total int                   `json:"total"`
		Notes []struct{ ID string } `json:"notes"`
	}
	all := d.settle(w.t, w.call(defaultTenant, "list-1", "list_notes", nil))
	if err := json.Unmarshal(all.Result, &listed); err != nil {
		w.t.Fatalf("list_notes: %+v: %v", all, err)
	}
	if added.outcome() != "success" {
		if listed.Total != 0 {
			w.t.Errorf("%d notes of a call that ended in %s", listed.Total, added.outcome())
		}
		return
	}
	if err := json.Unmarshal(added.Result, &saved); err != nil {
		w.t.Fatal(err)
	}
	if listed.Total != 1 || listed.Notes[0].ID != saved.Note.ID {
		w.t.Errorf("the notes are %s, want one with the id of the result %s", all.Result, added.Result)
	}
}
