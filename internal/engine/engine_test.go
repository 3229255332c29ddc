package engine

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// trace is the pipeline with a note at the entry of each stage.
func trace(w *world, notes *[]string) *Engine {
	note := func(name string, h handler) handler {
		return func(ctx context.Context, j *Job) (tool.Result, error) {
			*notes = append(*notes, name)
			return h(ctx, j)
		}
	}
	e := New(w.deps())
	stages := e.pipeline()
	for i, s := range stages {
		stages[i].wrap = func(next handler) handler { return note(s.name, s.wrap(next)) }
	}
	e.handle = chain(stages, note("tool", runTool))
	return e
}

var order = []string{
	"record", "lookup", "available", "middleware", "prepare", "limit", "stored", "once", "place", "vet", "rate", "authorize", "equip",
	"account", "reserve", "fence", "deadline", "commit", "recover", "tool",
}

func TestOrder(t *testing.T) {
	var notes []string
	var runs atomic.Int64
	out := trace(holding(t, effect(&runs, mutating)), &notes).Execute(t.Context(), job(`{"path":"a"}`))
	wantValue(t, out, `"done"`)
	if diff := cmp.Diff(order, notes); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
}

// TestRefusals takes a call that would act, and has one stage after the other
// refuse it.
func TestRefusals(t *testing.T) {
	no := tool.Fail(tool.PermissionDenied, "no")
	for _, tt := range []struct {
		stage  string
		change func(*world, *Job)
		want   tool.Kind
	}{
		{"lookup", func(_ *world, j *Job) { j.Name = "nope" }, tool.ToolNotFound},
		{"lookup", func(w *world, _ *Job) { w.lookupErr = tool.Fail(tool.ToolNotAvailable, "off") }, tool.ToolNotAvailable},
		{"available", func(w *world, _ *Job) { w.allowErr = tool.Fail(tool.ToolNotAvailable, "not yours") }, tool.ToolNotAvailable},
		{"prepare", func(_ *world, j *Job) { j.Args = []byte(`{}`) }, tool.ValidationError},
		{"once", func(w *world, j *Job) {
			j.Redelivered, w.earlierErr = true, tool.Fail(tool.OutcomeUnknown, "who knows")
		}, tool.OutcomeUnknown},
		{"once", func(_ *world, j *Job) { j.Deadline = time.Now().Add(-time.Second) }, tool.Timeout},
		{"place", func(w *world, _ *Job) { w.placeErr = tool.Fail(tool.NotConfigured, "elsewhere") }, tool.NotConfigured},
		{"authorize", func(w *world, _ *Job) { w.policyErr = no }, tool.PermissionDenied},
		{"equip", func(w *world, _ *Job) { w.portsErr = tool.Fail(tool.NotConfigured, "no files") }, tool.NotConfigured},
		{"reserve", func(w *world, _ *Job) {
			w.tools["x"].Reserve = func(context.Context, *tool.Call) (Room, error) { return nil, no }
		}, tool.PermissionDenied},
		{"fence", func(w *world, _ *Job) { w.beginErr = tool.Fail(tool.OutcomeUnknown, "begun elsewhere") }, tool.OutcomeUnknown},
	} {
		t.Run(tt.stage, func(t *testing.T) {
			var notes []string
			var runs atomic.Int64
			w, j := holding(t, effect(&runs, mutating)), job(`{"path":"a"}`)
			tt.change(w, j)
			wantKind(t, trace(w, &notes).Execute(t.Context(), j), tt.want)
			if want := order[:slices.Index(order, tt.stage)+1]; !slices.Equal(notes, want) {
				t.Errorf("stages = %v, want %v", notes, want)
			}
			if began := w.began > 0; runs.Load() != 0 || began != (tt.stage == "fence") {
				t.Errorf("ran %d times, fenced %v: a refused call must not get that far", runs.Load(), began)
			}
			if w.recorded != 1 {
				t.Errorf("recorded %d times, want 1", w.recorded)
			}
		})
	}
}

func TestControl(t *testing.T) {
	all := []error{ErrAlreadyFinished, ErrRunningElsewhere, ErrRetry}
	for _, want := range all {
		var runs atomic.Int64
		w, j := holding(t, effect(&runs, mutating)), job(`{"path":"a"}`)
		j.Redelivered, w.earlierErr = true, want
		out := w.execute(t.Context(), j)
		if !errors.Is(out.Control, want) || out.Err != nil || out.Result.Value != nil {
			t.Errorf("outcome = %s, %v, control %v, want only control %v", out.Result.Value, out.Err, out.Control, want)
		}
		for _, other := range all {
			if !errors.Is(want, other) && errors.Is(out.Control, other) {
				t.Errorf("control = %v, which is also %v, want only %v", out.Control, other, want)
			}
		}
		if runs.Load() != 0 || w.began != 0 || w.recorded != 1 {
			t.Errorf("%v: ran %d times, fenced %d, recorded %d, want 0, 0, 1", want, runs.Load(), w.began, w.recorded)
		}
	}
}

func TestToolGetsItsOwnCall(t *testing.T) {
	greedy := running(func(_ context.Context, call *tool.Call, _ pathArgs) (any, error) {
		name := call.ID + " " + call.Tool
		call.ID, call.Tenant = "forged", "forged"
		return name, nil
	}, nil)
	j := job(`{"path":"a"}`)
	wantValue(t, holding(t, greedy).execute(t.Context(), j), `"c1 x"`)
	if j.ID != "c1" || j.Tenant != "default" {
		t.Errorf("the job is now call %q of tenant %q, want it as it was", j.ID, j.Tenant)
	}
}
