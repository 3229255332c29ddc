package engine

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// saved is a durable tool of a name that returns its version.
func saved(t *testing.T, name, version string, need string) *tool.Tool {
	t.Helper()
	made, err := tool.New(tool.Definition{
		Name: name, Description: "d", Version: version, Risk: tool.Low, Confirmation: tool.ConfirmIfDestructive, TimeoutSeconds: 9,
		Mutates: true, Durable: true, Parameters: json.RawMessage(`{"type":"object","required":["` + need + `"]}`),
	}, 0, func(context.Context, *tool.Call, json.RawMessage) (tool.Result, error) {
		return tool.Result{Value: json.RawMessage(`"` + version + `"`)}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestKept: a program that was queued again runs the tool that it began with, whether the worker
// has another version of it or none, and has no fence of its own; a first turn runs what is there.
func TestKept(t *testing.T) {
	t.Parallel()
	entry, err := NewEntry(saved(t, "x", "kept", "old"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*Job)
		tools  []*tool.Tool
		kept   *Entry
		args   string
		want   string
		asked  bool
	}{
		"first turn":      {func(*Job) {}, []*tool.Tool{saved(t, "x", "now", "new")}, entry, `{"new":1}`, `"now"`, false},
		"woken":           {func(j *Job) { j.Wake = 1 }, []*tool.Tool{saved(t, "x", "now", "new")}, entry, `{"old":1}`, `"kept"`, true},
		"delivered again": {func(j *Job) { j.Redelivered = true }, []*tool.Tool{saved(t, "x", "now", "new")}, entry, `{"old":1}`, `"kept"`, true},
		"tool is gone":    {func(j *Job) { j.Wake = 1 }, nil, entry, `{"old":1}`, `"kept"`, true},
		"not begun":       {func(j *Job) { j.Redelivered = true }, []*tool.Tool{saved(t, "x", "now", "new")}, nil, `{"new":1}`, `"now"`, true},
		"no program":      {func(j *Job) { j.Key, j.Redelivered = "", true }, []*tool.Tool{saved(t, "x", "now", "new")}, entry, `{"new":1}`, `"now"`, false},
		"by a way": {func(j *Job) { j.Name, j.Wake = "way", 1 }, []*tool.Tool{way()}, entry,
			`{"to":"x","with":{"old":1}}`, `"kept"`, true},
	} {
		w, asked := holding(t, tt.tools...), false
		d := w.deps()
		d.Kept = func(context.Context, *Job) (*Entry, error) {
			asked = true
			return tt.kept, nil
		}
		j := job(tt.args)
		j.Key = "k"
		tt.change(j)
		out := New(d).Execute(t.Context(), j)
		if out.Err != nil || string(out.Result.Value) != tt.want || asked != tt.asked || w.began != 0 || j.Begun() != (tt.want == `"kept"`) {
			t.Errorf("%s: %s, %v, asked %v, %d fences, begun %v", name, out.Result.Value, out.Err, asked, w.began, j.Begun())
		}
		if !w.judged.Mutates {
			t.Errorf("%s: it was judged as %+v", name, w.judged)
		}
	}
	d := holding(t).deps()
	d.Kept = func(context.Context, *Job) (*Entry, error) { return nil, errors.New("nobody answers") }
	j := job(`{}`)
	j.Key, j.Wake = "k", 1
	if out := New(d).Execute(t.Context(), j); !errors.Is(out.Control, ErrRetry) {
		t.Errorf("without an answer it ends in %v, %v", out.Err, out.Control)
	}
}
