package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
)

// rooms has room for a tool after a while, and counts what is taken.
type rooms struct {
	after time.Duration
	taken int
}

type roomKey struct{}

func (r *rooms) reserve(ctx context.Context, _ *tool.Call) (Room, error) {
	select {
	case <-time.After(r.after):
		r.taken++
		return r, nil
	case <-ctx.Done():
		return nil, tool.Fail(tool.Overloaded, "busy").Because(ctx.Err())
	}
}

func (r *rooms) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, roomKey{}, r)
}

func (r *rooms) Release() { r.taken-- }

// TestReserve: a tool's own time begins when it has its room, and a call that gets none
// waits elsewhere, or ends in overloaded where it cannot. It leaves no trace either way.
func TestReserve(t *testing.T) {
	for name, tt := range map[string]struct {
		after, deadline time.Duration // 0: none
		inner           bool
		want            tool.Kind
		control         error
		total           time.Duration
	}{
		"room at once":                    {0, 0, false, tool.Timeout, nil, 30 * time.Second},
		"room in time":                    {time.Second, 0, false, tool.Timeout, nil, 31 * time.Second},
		"no room":                         {time.Minute, 0, false, "", ErrCrowded, Hold},
		"no room with time left":          {time.Minute, 10 * time.Second, false, "", ErrCrowded, Hold},
		"no room with little time":        {time.Minute, 3 * time.Second, false, "", ErrCrowded, 3 * time.Second},
		"no room for a call within one":   {40 * time.Second, 0, true, tool.Timeout, nil, 70 * time.Second},
		"room late, which the tool lacks": {time.Second, 3 * time.Second, false, tool.Timeout, nil, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &rooms{after: tt.after}
			seen := false
			w := holding(t, running(func(ctx context.Context, _ *tool.Call, _ pathArgs) (any, error) {
				seen = ctx.Value(roomKey{}) == r && r.taken == 1
				<-ctx.Done()
				return nil, ctx.Err()
			}, func(s *tool.Spec[pathArgs, any]) { s.Mutates, s.Idempotent = true, true }))
			w.tools["x"].Reserve = r.reserve
			j := job(`{"path":"a"}`)
			j.Nested = tt.inner
			if tt.deadline > 0 {
				j.Deadline = time.Now().Add(tt.deadline)
			}
			out := w.execute(t.Context(), j)
			if !errors.Is(out.Control, tt.control) || out.Total != tt.total || r.taken != 0 {
				t.Errorf("%s: control %v after %v with %d rooms taken, want %v after %v with none",
					name, out.Control, out.Total, r.taken, tt.control, tt.total)
			}
			if tt.control != nil {
				if e := tool.AsError(out.Control); e.Kind != tool.Overloaded || w.began != 0 || seen {
					t.Errorf("%s: %v, begun %d times; want overloaded, and no trace", name, e, w.began)
				}
				return
			}
			wantKind(t, out, tt.want)
			if !seen || w.began != 1 {
				t.Errorf("%s: the tool ran with its room: %v, begun %d times", name, seen, w.began)
			}
		})
	}
}

// TestReserveRefused: what is refused for another reason is that call's end, and a call
// within another one cannot wait elsewhere.
func TestReserveRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err   error
		inner bool
		want  tool.Kind
	}{
		"not configured":           {tool.Fail(tool.NotConfigured, "no sandbox"), false, tool.NotConfigured},
		"overloaded within a call": {tool.Fail(tool.Overloaded, "busy"), true, tool.Overloaded},
	} {
		w := holding(t, returning(1, nil))
		w.tools["x"].Reserve = func(context.Context, *tool.Call) (Room, error) { return nil, tt.err }
		j := job(`{"path":"a"}`)
		j.Nested = tt.inner
		out := w.execute(t.Context(), j)
		if out.Control != nil {
			t.Errorf("%s: %v", name, out.Control)
			continue
		}
		wantKind(t, out, tt.want)
	}
}

// TestReserveStopped: a call that is stopped while it waits has not started.
func TestReserveStopped(t *testing.T) {
	for cause, want := range map[error]error{ErrCancelled: nil, ErrShutdown: ErrRetry} {
		synctest.Test(t, func(t *testing.T) {
			w := holding(t, returning(1, nil))
			w.tools["x"].Reserve = (&rooms{after: time.Minute}).reserve
			ctx, stop := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { stop(cause) })
			out := w.execute(ctx, job(`{"path":"a"}`))
			if !errors.Is(out.Control, want) || out.Total != time.Second {
				t.Errorf("%v: control %v after %v, want %v", cause, out.Control, out.Total, want)
			}
			if want == nil {
				wantKind(t, out, tool.Cancelled)
			}
		})
	}
}
