package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func unconnected() error {
	return tool.Fail(tool.NotConfigured, "connect it").Because(&tool.AccountMissing{Service: "cloud"})
}

// TestAccountMissing: a call that lacks an account is parked as long as it has changed
// nothing, whichever of its functions finds out; else it ends.
func TestAccountMissing(t *testing.T) {
	late := func(context.Context, *tool.Call, pathArgs) (any, error) { return nil, unconnected() }
	look := func(s *tool.Spec[pathArgs, any]) {
		s.Check = func(context.Context, *tool.Call, pathArgs) error { return unconnected() }
	}
	for name, tt := range map[string]struct {
		tool    *tool.Tool
		parked  bool
		fenced  int
		nowhere bool
	}{
		"found by a run that changes nothing":        {running(late, nil), true, 0, false},
		"found by a check":                           {running(late, look), true, 0, false},
		"found by the check of a call that acts":     {running(late, func(s *tool.Spec[pathArgs, any]) { mutating(s); look(s) }), true, 0, false},
		"found by a run that acts":                   {running(late, mutating), false, 1, false},
		"found by a run that acts and is repeatable": {running(late, repeating), false, 1, false},
		"where there are no accounts":                {running(late, look), false, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := holding(t, tt.tool)
			d, asked := w.deps(), 0
			d.Connect = func(ctx context.Context, j *Job, m *tool.AccountMissing) error {
				if asked++; m.Service != "cloud" || ctx.Err() != nil {
					t.Errorf("Connect(%+v), %v", m, ctx.Err())
				}
				return ErrParked
			}
			if tt.nowhere {
				d.Connect = nil
			}
			out := New(d).Execute(t.Context(), job(`{"path":"a"}`))
			if tt.parked != errors.Is(out.Control, ErrParked) || tt.parked != (asked == 1) || w.began != tt.fenced {
				t.Errorf("outcome %v, %v, asked %d times, fenced %d, want parked %v and fenced %d",
					out.Err, out.Control, asked, w.began, tt.parked, tt.fenced)
			}
			if !tt.parked {
				wantKind(t, out, tool.NotConfigured)
			}
		})
	}
}

// TestAccountRefused: the reason why nobody can be asked ends the call, and the room that it
// had taken is free.
func TestAccountRefused(t *testing.T) {
	w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) { return nil, unconnected() }, nil))
	r := &rooms{}
	w.tools["x"].Reserve = r.reserve
	d := w.deps()
	d.Connect = func(context.Context, *Job, *tool.AccountMissing) error {
		if r.taken > 0 {
			t.Error("the call still has its room while the person is asked")
		}
		return tool.Fail(tool.PolicyDenied, "no")
	}
	wantKind(t, New(d).Execute(t.Context(), job(`{"path":"a"}`)), tool.PolicyDenied)
}
