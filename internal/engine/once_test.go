package engine

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestOnceAsksOnlyForRedelivered(t *testing.T) {
	for _, redelivered := range []bool{false, true} {
		w, j := holding(t, returning(1, nil)), job(`{"path":"a"}`)
		j.Redelivered = redelivered
		wantValue(t, w.execute(t.Context(), j), "1")
		if asked := w.earlier == 1; asked != redelivered {
			t.Errorf("redelivered %v: ledger asked %d times", redelivered, w.earlier)
		}
	}
}

func TestOnceRetriesWhenTheLedgerIsUnreachable(t *testing.T) {
	cause := errors.New("no responders")
	w, j := holding(t, returning(1, nil)), job(`{"path":"a"}`)
	j.Redelivered, w.earlierErr = true, cause
	out := w.execute(t.Context(), j)
	if !errors.Is(out.Control, ErrRetry) || !errors.Is(out.Control, cause) || out.Err != nil {
		t.Errorf("control = %v, error %v, want ErrRetry because of %v", out.Control, out.Err, cause)
	}
}

func TestOncePastDeadline(t *testing.T) {
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name        string
		deadline    time.Time
		redelivered bool
		change      func(*tool.Spec[pathArgs, any])
		says        string
	}{
		{name: "none", change: mutating},
		{name: "ahead", deadline: now.Add(time.Second), change: mutating},
		{name: "now", deadline: now, change: mutating, says: "waited too long in the queue and did not run;"},
		{name: "past", deadline: now.Add(-time.Hour), change: mutating, says: "waited too long in the queue and did not run;"},
		{name: "never started", deadline: now, redelivered: true, change: mutating, says: "did not run;"},
		{name: "maybe started", deadline: now, redelivered: true, change: repeating, says: "an earlier attempt may have taken effect"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var runs atomic.Int64
			w, j := holding(t, effect(&runs, tt.change)), job(`{"path":"a"}`)
			d := w.deps()
			d.Now = func() time.Time { return now }
			j.Deadline, j.Redelivered = tt.deadline, tt.redelivered
			out := New(d).Execute(t.Context(), j)
			if tt.says == "" {
				wantValue(t, out, `"done"`)
				return
			}
			wantKind(t, out, tool.Timeout)
			if !strings.Contains(out.Err.Msg, tt.says) || runs.Load() != 0 || w.judged.Run != nil {
				t.Errorf("ran %d times, judged %v, message %q, want 0, false, %q", runs.Load(), w.judged.Run != nil, out.Err.Msg, tt.says)
			}
		})
	}
}

// A result that is already there is worth more than a deadline that passed.
func TestOnceSettledBeatsDeadline(t *testing.T) {
	w, j := holding(t, returning(1, nil)), job(`{"path":"a"}`)
	j.Redelivered, w.earlierErr, j.Deadline = true, ErrAlreadyFinished, time.Now().Add(-time.Hour)
	if out := w.execute(t.Context(), j); !errors.Is(out.Control, ErrAlreadyFinished) {
		t.Errorf("outcome = %v, control %v, want ErrAlreadyFinished", out.Err, out.Control)
	}
}
