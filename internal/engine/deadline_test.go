package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
)

// heeding waits for its context to end and returns its error.
func heeding(ctx context.Context, _ *tool.Call, _ pathArgs) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// uncancellable returns a tool that hears only release.
func uncancellable(release <-chan struct{}) runFunc {
	return func(context.Context, *tool.Call, pathArgs) (any, error) {
		<-release
		return "at last", nil
	}
}

func TestDeadlineIsTheLeast(t *testing.T) {
	for _, tt := range []struct {
		name               string
		timeout, untilDead time.Duration
		want               time.Duration
		says               string
	}{
		{"the tool's", 0, 0, 30 * time.Second, "30s"},
		{"the tool's, caller asks for more", time.Hour, time.Hour, 30 * time.Second, "30s"},
		{"the caller's", 1500 * time.Millisecond, time.Hour, 1500 * time.Millisecond, "1.5s"},
		// The queue had 18 s of the caller's 20: it is those that are over.
		{"the deadline", 20 * time.Second, 2 * time.Second, 2 * time.Second, "20s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, j := holding(t, running(heeding, nil)), job(`{"path":"a"}`)
				j.Timeout = tt.timeout
				if tt.untilDead > 0 {
					j.Deadline = time.Now().Add(tt.untilDead)
				}
				out := w.execute(t.Context(), j)
				wantKind(t, out, tool.Timeout)
				if out.Err.Msg != "Tool execution timed out after "+tt.says || out.Ran != tt.want {
					t.Errorf("after %v: %q, want %v and %s", out.Ran, out.Err.Msg, tt.want, tt.says)
				}
			})
		})
	}
}

func TestDeadlineDeafTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w := holding(t, running(uncancellable(release), nil))
		out := w.execute(t.Context(), job(`{"path":"a"}`))
		wantKind(t, out, tool.Timeout)
		if out.Total != 30*time.Second+grace || out.Ran != out.Total {
			t.Errorf("ran %v of %v, want both 30s and the grace", out.Ran, out.Total)
		}
		if got := w.stuck.Load(); got != 1 {
			t.Errorf("stuck = %d while the tool runs, want 1", got)
		}
		close(release)
		synctest.Wait()
		if now, moves := w.stuck.Load(), w.stuckMoves.Load(); now != 0 || moves != 2 {
			t.Errorf("stuck = %d after %d moves, want 0 after 2", now, moves)
		}
	})
}

func TestDeadlineGrace(t *testing.T) {
	for _, tt := range []struct {
		late time.Duration
		deaf bool
	}{{grace - time.Millisecond, false}, {grace + time.Millisecond, true}} {
		synctest.Test(t, func(t *testing.T) {
			w := holding(t, running(func(ctx context.Context, _ *tool.Call, _ pathArgs) (any, error) {
				<-ctx.Done()
				time.Sleep(tt.late)
				return "just so", nil
			}, mutating))
			out := w.execute(t.Context(), job(`{"path":"a"}`))
			if tt.deaf {
				wantKind(t, out, tool.OutcomeUnknown)
			} else {
				wantValue(t, out, `"just so"`)
			}
			time.Sleep(time.Second)
			if moves := w.stuckMoves.Load(); w.stuck.Load() != 0 || (moves > 0) != tt.deaf {
				t.Errorf("%v late: stuck moved %d times to %d, want it to move only for a deaf tool, and to 0", tt.late, moves, w.stuck.Load())
			}
		})
	}
}

// A worker that stops must not wait for a tool's timeout.
func TestDeadlineParentEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(ErrShutdown) })
		w := holding(t, running(heeding, nil))
		out := w.execute(ctx, job(`{"path":"a"}`))
		if !errors.Is(out.Control, ErrRetry) || out.Total != time.Second {
			t.Errorf("after %v: control %v, want ErrRetry after 1s", out.Total, out.Control)
		}
	})
}

func TestDeadlineLeavesNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails if one is left at its end
		w := holding(t, returning(1, nil))
		for range 100 {
			wantValue(t, w.execute(t.Context(), job(`{"path":"a"}`)), "1")
		}
	})
}
