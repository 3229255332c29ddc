package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
)

// TestBeforeEffect: BeforeEffect is called directly before a nested call acts, and only then.
func TestBeforeEffect(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*tool.Spec[pathArgs, any])
		err    error
		asked  int64
		want   string
	}{
		{"one that looks", nil, nil, 0, "done"},
		{"one that acts", mutating, nil, 1, "done"},
		{"one that may be repeated", repeating, nil, 1, "done"},
		{"one whose maker was ended", mutating, tool.Fail(tool.Cancelled, "over"), 1, "cancelled"},
		{"nobody to ask", mutating, errors.New("away"), 1, "retry"},
	} {
		var runs, asked atomic.Int64
		w, j := holding(t, effect(&runs, tt.change)), job(`{"path":"a"}`)
		j.BeforeEffect = func(context.Context) error { asked.Add(1); return tt.err }
		got := verdict(w.execute(t.Context(), j))
		if got != tt.want || asked.Load() != tt.asked || (runs.Load() == 1) != (tt.err == nil) || tt.err != nil && w.began != 0 {
			t.Errorf("%s: %s, asked %d times, ran %d times, begun %d times", tt.name, got, asked.Load(), runs.Load(), w.began)
		}
	}
}

// TestInterruptedAfterItsCallsActed: a call that changes nothing itself did change
// something once those that its tool made did.
func TestInterruptedAfterItsCallsActed(t *testing.T) {
	for _, tt := range []struct {
		cause error
		acted bool
		want  string
	}{
		{ErrCancelled, false, "cancelled"},
		{ErrCancelled, true, "outcome_unknown"},
		{context.DeadlineExceeded, false, "timeout"},
		{context.DeadlineExceeded, true, "outcome_unknown"},
		{ErrShutdown, true, "retry"}, // each of its calls has a fence
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			j := job(`{"path":"a"}`)
			w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) {
				if tt.acted {
					j.MarkEffect()
				}
				time.Sleep(time.Minute)
				return nil, nil
			}, func(s *tool.Spec[pathArgs, any]) { s.Needs = tool.NeedTools }))
			if !errors.Is(tt.cause, context.DeadlineExceeded) {
				time.AfterFunc(time.Second, func() { cancel(tt.cause) })
			}
			start := time.Now()
			if got := verdict(w.execute(ctx, j)); got != tt.want {
				t.Errorf("%v, acted %v: %s, want %s", tt.cause, tt.acted, got, tt.want)
			}
			if took := time.Since(start) % time.Second; took != 2*grace {
				t.Errorf("it had %v to say how its calls ended, want %v", took, 2*grace)
			}
			time.Sleep(time.Hour)
		})
	}
	// A redelivered call that ends before it runs has no other outcome.
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrCancelled)
	j := job(`{"path":"a"}`)
	j.Redelivered = true
	wantKind(t, holding(t, running(nil, func(s *tool.Spec[pathArgs, any]) {
		s.Needs = tool.NeedTools
		s.Run = func(context.Context, *tool.Call, pathArgs) (any, error) { return nil, nil }
	})).execute(ctx, j), tool.OutcomeUnknown)
}
