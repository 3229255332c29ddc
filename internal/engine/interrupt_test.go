package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
)

// TestInterrupted is the whole table of what an interruption means: who
// interrupts, what the tool does about it, and what kind of call it is.
func TestInterrupted(t *testing.T) {
	const done, retry = "done", "retry"
	own := errors.New("half of it is written")
	answers := map[string]func(ctx context.Context) (any, error){
		"success":       func(context.Context) (any, error) { return "done", nil },
		"own error":     func(context.Context) (any, error) { return nil, tool.Fail(tool.NetworkError, "%s", own) },
		"context error": func(ctx context.Context) (any, error) { return nil, fmt.Errorf("query: %w", ctx.Err()) },
		"kind, wrapping": func(ctx context.Context) (any, error) {
			return nil, tool.Fail(tool.NetworkError, "x").Because(ctx.Err())
		},
		"kind cancelled": func(context.Context) (any, error) { return nil, tool.Fail(tool.Cancelled, "stopped") },
		"deaf": func(ctx context.Context) (any, error) {
			time.Sleep(time.Minute) // in the bubble
			return "too late", nil
		},
	}
	// Wanted for a call that reads, a call that can be repeated, a call that cannot.
	type wants [3]string
	gaveUp := map[error]wants{
		context.DeadlineExceeded: {"timeout", "timeout", "timeout"},
		ErrCancelled:             {"cancelled", "outcome_unknown", "outcome_unknown"},
		ErrShutdown:              {retry, retry, "outcome_unknown"},
		context.Canceled:         {retry, retry, "outcome_unknown"},
	}
	changes := []func(*tool.Spec[pathArgs, any]){nil, repeating, mutating}
	for cause, byCall := range gaveUp {
		for answer, act := range answers {
			for i, change := range changes {
				want := byCall[i]
				switch {
				case answer == "success":
					want = done
				case answer == "own error":
					want = "network_error"
				case answer == "deaf" && errors.Is(cause, context.DeadlineExceeded) && i == 2:
					want = "outcome_unknown"
				}
				t.Run(fmt.Sprint(cause, "/", answer, "/", i), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						ctx, cancel := context.WithCancelCause(t.Context())
						defer cancel(nil)
						if !errors.Is(cause, context.DeadlineExceeded) {
							time.AfterFunc(time.Second, func() { cancel(cause) })
						}
						w := holding(t, running(func(ctx context.Context, _ *tool.Call, _ pathArgs) (any, error) {
							<-ctx.Done()
							return act(ctx)
						}, change))
						if got := verdict(w.execute(ctx, job(`{"path":"a"}`))); got != want {
							t.Errorf("outcome = %s, want %s", got, want)
						}
						time.Sleep(time.Hour) // let the deaf return
					})
				})
			}
		}
	}
}

func verdict(o Outcome) string {
	switch {
	case errors.Is(o.Control, ErrRetry):
		return "retry"
	case o.Err != nil:
		return string(o.Err.Kind)
	}
	return "done"
}

func TestOutcomeUnknownSaysWhatToDo(t *testing.T) {
	msg := unknown(ErrShutdown).Msg
	for _, want := range []string{"interrupted", "may or may not have happened", "not run again", "check before"} {
		if !strings.Contains(msg, want) {
			t.Errorf("message = %q, want %q in it", msg, want)
		}
	}
}

// A context error of the tool's own making is no interruption.
func TestOwnContextErrorIsTheTools(t *testing.T) {
	out := holding(t, returning(nil, context.Canceled)).execute(t.Context(), job(`{"path":"a"}`))
	wantKind(t, out, tool.Cancelled)
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		30 * time.Second: "30s", 90 * time.Second: "90s", time.Hour: "3600s",
		1500 * time.Millisecond: "1.5s", 5 * time.Millisecond: "0.005s", 1999999 * time.Microsecond: "2s",
	} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %q, want %q", d, got, want)
		}
	}
}

// The tool's advice follows an unknown outcome, once, whether the engine or the tool found it.
func TestUncertain(t *testing.T) {
	const how = "search for mail-1"
	change := func(s *tool.Spec[pathArgs, any]) {
		s.Mutates, s.Uncertain = true, func(call *tool.Call, args pathArgs) string { return "search for " + args.Path + "-" + call.ID[1:] }
	}
	own := tool.Fail(tool.OutcomeUnknown, "the server was silent; search for mail-1")
	for _, tt := range []struct {
		name       string
		begin, err error
		kind       tool.Kind
		want       string
	}{
		{
			"fence of another attempt", tool.Fail(tool.OutcomeUnknown, "it was interrupted"), nil, tool.OutcomeUnknown, "it was interrupted; " + how,
		},
		{"of the tool", nil, own, tool.OutcomeUnknown, "the server was silent; " + how},
		{"another failure", nil, tool.Fail(tool.NetworkError, "no connection"), tool.NetworkError, "no connection"},
	} {
		w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) { return nil, tt.err }, change))
		w.beginErr = tt.begin
		out := w.execute(t.Context(), job(`{"path":"mail"}`))
		wantKind(t, out, tt.kind)
		if out.Err.Msg != tt.want {
			t.Errorf("%s: message %q, want %q", tt.name, out.Err.Msg, tt.want)
		}
	}
}

// A tool that knows that it acted is believed when its time is up.
func TestUnknownIsNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := holding(t, running(func(ctx context.Context, _ *tool.Call, _ pathArgs) (any, error) {
			<-ctx.Done()
			return nil, tool.Fail(tool.OutcomeUnknown, "the server was silent").Because(ctx.Err())
		}, mutating))
		wantKind(t, w.execute(t.Context(), job(`{"path":"mail"}`)), tool.OutcomeUnknown)
	})
}
