package execution

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/protocol"
)

// TestCancel: a call that runs is stopped, and may come again: it can be on its way to a
// person. A call that does not run is remembered.
func TestCancel(t *testing.T) {
	t.Parallel()
	x := New(Deps{Worker: "w"})
	ctx, stop := context.WithCancelCause(t.Context())
	x.calls.add(&run{call: &Call{Call: &call.Call{Tenant: "acme", ID: "runs", Tool: "look", Origin: "d-1", Pool: "p", User: "ann"}}, stop: stop})

	want := Owned{Origin: "d-1", Tool: "look", Pool: "p", Owner: &protocol.Owner{User: "ann"}}
	if o := x.Cancel("acme", "runs"); o == nil || !reflect.DeepEqual(*o, want) {
		t.Errorf("cancel of a running call = %+v, want %+v", o, want)
	}
	if !errors.Is(context.Cause(ctx), engine.ErrCancelled) {
		t.Errorf("a cancelled call goes on: %v", context.Cause(ctx))
	}
	if x.cancelled.has(callKey{"acme", "runs"}) {
		t.Error("the next delivery of a call that ran would be stopped")
	}
	if o := x.Cancel("acme", "queued"); o != nil {
		t.Errorf("cancel of a call that is not here = %+v, want nothing", o)
	}
	if !x.cancelled.has(callKey{"acme", "queued"}) || x.cancelled.has(callKey{"other", "queued"}) {
		t.Error("only the call that was cancelled before it came here is to be remembered")
	}
}

// TestCancelledForgets: the set is bounded, forgets old calls, and refuses no call that it
// has not room for.
func TestCancelledForgets(t *testing.T) {
	t.Parallel()
	var s cancelled
	old := time.Now().Add(-2 * cancelledKeep)
	s.add(callKey{"acme", "old"}, old)
	if s.has(callKey{"acme", "old"}) {
		t.Error("a call that was cancelled long ago is stopped")
	}
	for i := range cancelledMost {
		s.add(callKey{"acme", fmt.Sprint(i)}, time.Now())
	}
	if len(s.since) != cancelledMost {
		t.Errorf("%d calls are remembered, want %d without the old one", len(s.since), cancelledMost)
	}
	s.add(callKey{"acme", "more"}, time.Now())
	if s.has(callKey{"acme", "more"}) || len(s.since) != cancelledMost {
		t.Errorf("%d calls are remembered, want at most %d", len(s.since), cancelledMost)
	}
}

// TestNoteRemote: a nested call that a remote process runs is named as long as it runs, and
// only below its own outer call.
func TestNoteRemote(t *testing.T) {
	t.Parallel()
	x := New(Deps{Worker: "w"})
	x.calls.add(&run{call: &Call{Call: &call.Call{Tenant: "acme", ID: "outer"}}})
	done := x.NoteRemote("acme", "outer~1")
	x.NoteRemote("acme", "outer")
	x.NoteRemote("other", "outer~2")
	x.NoteRemote("acme", "gone~1")()
	if o := x.Find("acme", "outer"); !reflect.DeepEqual(o.Nested, []string{"outer~1"}) {
		t.Errorf("nested calls = %q, want outer~1", o.Nested)
	}
	done()
	if o := x.Find("acme", "outer"); len(o.Nested) != 0 || x.Count() != 1 || x.Find("acme", "gone") != nil {
		t.Errorf("nested calls = %q of %d calls, want none of one", o.Nested, x.Count())
	}
}
