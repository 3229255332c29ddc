package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestRecordTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) {
			time.Sleep(3 * time.Second)
			return "done", nil
		}, nil))
		d := w.deps()
		d.Policy = slow(func() { time.Sleep(2 * time.Second) })
		start := time.Now()
		out := New(d).Execute(t.Context(), job(`{"path":"a"}`))
		wantValue(t, out, `"done"`)
		if !out.Started.Equal(start) || out.Ran != 3*time.Second || out.Total != 5*time.Second {
			t.Errorf("started %v, ran %v, total %v, want %v, 3s, 5s", out.Started, out.Ran, out.Total, start)
		}
		if diff := cmp.Diff(out, w.last); w.recorded != 1 || diff != "" {
			t.Errorf("recorded %d times, want once; outcome (-returned +recorded):\n%s", w.recorded, diff)
		}
	})
}

func TestRecordPanicOfAStage(t *testing.T) {
	w := holding(t, returning(1, nil))
	d := w.deps()
	d.Policy = slow(func() { panic("rules at /etc/helve") })
	out := New(d).Execute(t.Context(), job(`{"path":"a"}`))
	wantKind(t, out, tool.Internal)
	if strings.Contains(out.Err.Msg, "/etc") || !strings.Contains(out.Err.Error(), "/etc/helve") {
		t.Errorf("error = %v, want the value in the cause only", out.Err)
	}
	if p, ok := errors.AsType[*PanicError](out.Err.Cause); !ok || !strings.Contains(string(p.Stack), "goroutine") {
		t.Errorf("cause = %#v, want a panic with its stack", out.Err.Cause)
	}
	if w.recorded != 1 {
		t.Errorf("recorded %d times, want 1", w.recorded)
	}
	wantValue(t, w.execute(t.Context(), job(`{"path":"a"}`)), "1")
}

// A tool's causes do not steer the worker, whatever they are.
func TestRecordControlComesFromStagesOnly(t *testing.T) {
	for _, err := range []error{ErrRetry, ErrAlreadyFinished, tool.Fail(tool.NetworkError, "x").Because(ErrRunningElsewhere)} {
		out := holding(t, returning(nil, err)).execute(t.Context(), job(`{"path":"a"}`))
		if out.Control != nil || out.Err == nil {
			t.Errorf("a tool that returns %v: control %v, error %v, want only an error", err, out.Control, out.Err)
		}
	}
}

type annotated struct{ meta map[string]any }

func (a annotated) Present(r *tool.Result) { r.Metadata = a.meta }

func TestRecordMetadata(t *testing.T) {
	shared := map[string]any{"size": 3}
	w := holding(t, returning(annotated{shared}, nil))
	for _, tt := range []struct {
		args    string
		timeout time.Duration
		want    map[string]any
	}{
		{`{"path":"a"}`, 0, map[string]any{"size": 3}},
		{`{"path":"a"}`, 30 * time.Second, map[string]any{"size": 3}},
		{`{"path":"a"}`, 31 * time.Second, map[string]any{"size": 3, "timeout_ms": int64(30000)}},
		{`{"path":"a","z":1,"b":2}`, 0, map[string]any{"size": 3, "ignored": []string{"b", "z"}}},
	} {
		j := job(tt.args)
		j.Timeout = tt.timeout
		if diff := cmp.Diff(tt.want, w.execute(t.Context(), j).Result.Metadata); diff != "" {
			t.Errorf("%s, timeout %v: metadata (-want +got):\n%s", tt.args, tt.timeout, diff)
		}
	}
	if len(shared) != 1 {
		t.Errorf("the tool's own map is now %v, want it as it was", shared)
	}
}

func TestRecordMetadataOfAFailure(t *testing.T) {
	out := holding(t, returning(nil, errors.New("x"))).execute(t.Context(), job(`{"path":"a","z":1}`))
	wantKind(t, out, tool.ExecutionError)
	if diff := cmp.Diff(map[string]any{"ignored": []string{"z"}}, out.Result.Metadata); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		own  map[string]any
		want map[string]any
	}{
		{map[string]any{"status": 429, "retryAfter": 7}, map[string]any{"status": 429, "retryAfter": 7, "ignored": []string{"z"}}},
		{map[string]any{"f": func() {}}, map[string]any{"ignored": []string{"z"}}},
	} {
		failed := tool.Fail(tool.RateLimited, "x")
		failed.Metadata = tt.own
		out := holding(t, returning(nil, failed)).execute(t.Context(), job(`{"path":"a","z":1}`))
		wantKind(t, out, tool.RateLimited)
		if diff := cmp.Diff(tt.want, out.Result.Metadata); diff != "" {
			t.Errorf("metadata of an error with its own (-want +got):\n%s", diff)
		}
	}
}
