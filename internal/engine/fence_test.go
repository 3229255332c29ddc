package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestFenceOnlyWhereNeeded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*tool.Spec[pathArgs, any])
		want   int
	}{
		{"reads", nil, 0},
		{"mutates", mutating, 1},
		{"mutates, idempotent", repeating, 1},
		{"this call reads", func(s *tool.Spec[pathArgs, any]) {
			s.Mutates, s.Reads = true, func(pathArgs) bool { return true }
		}, 0},
		{"this call repeats", func(s *tool.Spec[pathArgs, any]) {
			s.Mutates, s.Repeats = true, func(pathArgs) bool { return true }
		}, 1},
	} {
		var runs atomic.Int64
		w := holding(t, effect(&runs, tt.change))
		wantValue(t, w.execute(t.Context(), job(`{"path":"a"}`)), `"done"`)
		if w.began != tt.want || runs.Load() != 1 {
			t.Errorf("%s: fenced %d times, ran %d, want %d, 1", tt.name, w.began, runs.Load(), tt.want)
		}
	}
}

// A call that may run twice is begun each time, and must not run once it was
// ended.
func TestFenceOfWhoeverEndedTheCall(t *testing.T) {
	unreachable := errors.New("no responders")
	for _, tt := range []struct {
		name    string
		change  func(*tool.Spec[pathArgs, any])
		again   bool
		err     error
		kind    tool.Kind
		control error
		asked   int
	}{
		{name: "reads", asked: 0},
		{name: "mutates", change: mutating, asked: 1},
		{name: "repeats", change: repeating, asked: 1},
		{name: "repeats, redelivered", change: repeating, again: true, asked: 1},
		{name: "was ended", change: repeating, err: tool.Fail(tool.Cancelled, "ended"), kind: tool.Cancelled, asked: 1},
		{name: "unreachable", change: repeating, err: unreachable, control: ErrRetry, asked: 1},
	} {
		var runs atomic.Int64
		w, j := holding(t, effect(&runs, tt.change)), job(`{"path":"a"}`)
		w.beginErr, j.Redelivered = tt.err, tt.again
		out := w.execute(t.Context(), j)
		want := int64(0)
		switch {
		case tt.kind != "":
			wantKind(t, out, tt.kind)
		case tt.control != nil:
			if !errors.Is(out.Control, tt.control) {
				t.Errorf("%s: control = %v, want %v", tt.name, out.Control, tt.control)
			}
		default:
			want = 1
			wantValue(t, out, `"done"`)
		}
		if w.began != tt.asked || runs.Load() != want {
			t.Errorf("%s: asked %d times, ran %d, want %d, %d", tt.name, w.began, runs.Load(), tt.asked, want)
		}
	}
}

func TestFenceIsThereBeforeTheTool(t *testing.T) {
	w := holding(t)
	one := running(func(context.Context, *tool.Call, pathArgs) (any, error) { return w.began, nil }, mutating)
	w.tools = holding(t, one).tools
	wantValue(t, w.execute(t.Context(), job(`{"path":"a"}`)), "1")
}

func TestFenceThatFails(t *testing.T) {
	for _, tt := range []struct{ err, want error }{
		{errors.New("no quorum"), ErrRetry},
		{ErrRunningElsewhere, ErrRunningElsewhere},
		{ErrAlreadyFinished, ErrAlreadyFinished},
	} {
		var runs atomic.Int64
		w := holding(t, effect(&runs, mutating))
		w.beginErr = tt.err
		out := w.execute(t.Context(), job(`{"path":"a"}`))
		if !errors.Is(out.Control, tt.want) || !errors.Is(out.Control, tt.err) || runs.Load() != 0 {
			t.Errorf("Begin fails with %v: control %v, ran %d times, want %v, 0", tt.err, out.Control, runs.Load(), tt.want)
		}
	}
}

// TestEndedBeforeTheTool ends a job just before its tool: a call that passes the fence,
// and calls that have none.
func TestEndedBeforeTheTool(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*tool.Spec[pathArgs, any])
		again   bool
		cause   error
		want    tool.Kind
		control error
	}{
		{name: "cancelled, reads", cause: ErrCancelled, want: tool.Cancelled},
		{name: "cancelled, mutates", change: mutating, cause: ErrCancelled, want: tool.Cancelled},
		{name: "cancelled again, mutates", change: mutating, again: true, cause: ErrCancelled, want: tool.Cancelled},
		{name: "cancelled, repeats", change: repeating, cause: ErrCancelled, want: tool.Cancelled},
		{name: "cancelled again, repeats", change: repeating, again: true, cause: ErrCancelled, want: tool.OutcomeUnknown},
		{name: "late, mutates", change: mutating, cause: context.DeadlineExceeded, want: tool.Timeout},
		{name: "late, reads", cause: context.DeadlineExceeded, want: tool.Timeout},
		{name: "shutdown, mutates", change: mutating, cause: ErrShutdown, control: ErrRetry},
		{name: "shutdown, reads", cause: ErrShutdown, control: ErrRetry},
		{name: "no cause", cause: nil, control: ErrRetry},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var runs atomic.Int64
			w, j := holding(t, effect(&runs, tt.change)), job(`{"path":"a"}`)
			j.Redelivered = tt.again
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(tt.cause)
			out := w.execute(ctx, j)
			if tt.control == nil {
				wantKind(t, out, tt.want)
			} else if !errors.Is(out.Control, tt.control) {
				t.Errorf("outcome = %v, control %v, want control %v", out.Err, out.Control, tt.control)
			}
			if w.began != 0 || runs.Load() != 0 || out.Ran != 0 {
				t.Errorf("fenced %d times, ran %d (%v), want 0, 0", w.began, runs.Load(), out.Ran)
			}
		})
	}
}

// The deadline may pass while the policy thinks.
func TestFenceLate(t *testing.T) {
	var runs atomic.Int64
	w, j := holding(t, effect(&runs, mutating)), job(`{"path":"a"}`)
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	j.Deadline = now.Add(time.Second)
	d := w.deps()
	d.Now = func() time.Time { return now }
	d.Policy = slow(func() { now = now.Add(2 * time.Second) })
	wantKind(t, New(d).Execute(t.Context(), j), tool.Timeout)
	if w.began != 0 || runs.Load() != 0 {
		t.Errorf("fenced %d times, ran %d, want 0, 0", w.began, runs.Load())
	}
}

type slow func()

func (s slow) Authorize(context.Context, *Job) error {
	s()
	return nil
}
