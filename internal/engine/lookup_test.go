package engine

import (
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestLookupUnknown(t *testing.T) {
	w, j := holding(t), job(`{}`)
	j.Name = "nope"
	out := w.execute(t.Context(), j)
	wantKind(t, out, tool.ToolNotFound)
	if want := "Tool 'nope' not found"; out.Err.Msg != want {
		t.Errorf("message = %q, want %q", out.Err.Msg, want)
	}
}

func TestLookupByAlias(t *testing.T) {
	w, j := holding(t, returning(1, nil)), job(`{"path":"a"}`)
	j.Name = "old_x"
	wantValue(t, w.execute(t.Context(), j), "1")
	if j.Tool != "x" || j.Name != "old_x" {
		t.Errorf("tool %q by name %q, want x by old_x", j.Tool, j.Name)
	}
}

func TestLookupFaults(t *testing.T) {
	cause := errors.New("the catalogue is on fire at /srv/cat")
	w := holding(t, returning(1, nil))
	w.lookupErr = cause
	out := w.execute(t.Context(), job(`{"path":"a"}`))
	wantKind(t, out, tool.Internal)
	if !errors.Is(out.Err, cause) {
		t.Errorf("cause = %v, want %v", out.Err.Cause, cause)
	}
	w.lookupErr, w.tools = nil, map[string]*Entry{}
	d := w.deps()
	d.Catalog = forgetful{}
	wantKind(t, New(d).Execute(t.Context(), job(`{}`)), tool.Internal)
}

type forgetful struct{}

func (forgetful) Lookup(string, string, string) (*Entry, error) { return nil, nil }

// boxed is a tool "way" whose other tool's arguments must be an object.
func boxed() *tool.Tool {
	type boxArgs struct {
		To   string      `json:"to"`
		With tool.Object `json:"with"`
	}
	return tool.Add(tool.NewSet("Test", "test"), tool.Spec[boxArgs, any]{
		Name: "way", Description: "A way to another tool.", Risk: tool.Low, Mutates: false, Timeout: 1,
		Delegate: func(a boxArgs) (string, json.RawMessage, error) { return a.To, json.RawMessage(a.With), nil },
	})
}

// TestLookupUnfolds: arguments within arguments may be a string that holds an object,
// and what it holds is judged as strictly.
func TestLookupUnfolds(t *testing.T) {
	for args, want := range map[string]string{
		`{"to":"x","with":{"path":"a"}}`:                          "",
		`{"to":"x","with":"{\"path\":\"a\"}"}`:                    "",
		`{"to":"x","with":" {\"path\":\"<9007199254740993>\"} "}`: "",
		`{"to":"x","with":"[1]"}`:                                 "with: expected object, got string",
		`{"to":"x","with":"{\"path\""}`:                           "with: expected object, got string",
		`{"to":"x","with":"{\"path\":\"a\",\"path\":\"b\"}"}`:     "with: expected object, got string",
		`{"to":"x","to":"x","with":"{\"path\":\"a\"}"}`:           "duplicate key 'to'",
		`{"with":"{\"path\":\"a\"}"}`:                             "missing required parameter 'to'",
		`{"to":"x","with":"{\"path\":1}"}`:                        "path: expected string, got number",
	} {
		var runs atomic.Int64
		w := holding(t, effect(&runs, mutating), boxed())
		j := job(args)
		j.Name = "way"
		out := w.execute(t.Context(), j)
		if want == "" {
			wantValue(t, out, `"done"`)
		} else if out.Err == nil || out.Err.Kind != tool.ValidationError || !strings.Contains(out.Err.Msg, want) {
			t.Errorf("%s ended as %v, want %q", args, out.Err, want)
		}
		if sent := job(args); j.SentHash() != sent.SentHash() {
			t.Errorf("%s: the sent call's hash is %s, want %s", args, j.SentHash(), sent.SentHash())
		}
	}
}

// TestLookupHelpsOnce: by way of another tool a message lists the parameters once, the
// long help only while it is short.
func TestLookupHelpsOnce(t *testing.T) {
	long := `{"type":"object","properties":{"path":{"type":"string","description":"` + strings.Repeat("It says much. ", 60) +
		`"},"n":{"type":"integer"}},"required":["path"]}`
	short := `{"type":"object","properties":{"path":{"type":"string","description":"The file."}},"required":["path"]}`
	for parameters, want := range map[string]string{
		short: "missing required parameter 'path'\nParameters of 'x':\n- path (string, required): The file.",
		long:  "missing required parameter 'path'\nParameters of 'x':\npath (string, required), n (integer)",
	} {
		j := job(`{"to":"x","with":{}}`)
		j.Name = "way"
		out := holding(t, echoing(t, parameters, nil), boxed()).execute(t.Context(), j)
		wantKind(t, out, tool.ValidationError)
		if out.Err.Msg != want {
			t.Errorf("message %q, want %q", out.Err.Msg, want)
		}
	}
}

// TestLookupSuggests: a call by way of another tool gets the nearest names and the
// parameters of the first of them, or that there are none.
func TestLookupSuggests(t *testing.T) {
	w := holding(t, returning(1, nil), boxed())
	ask := func(change func(*Job), near ...string) string {
		d := w.deps()
		d.Near = func(*Job, string) []string { return near }
		j := job(`{"to":"y","with":{}}`)
		j.Name = "way"
		change(j)
		out := New(d).Execute(t.Context(), j)
		wantKind(t, out, tool.ToolNotFound)
		return out.Err.Msg
	}
	asIs := func(*Job) {}
	inner := func(j *Job) { j.Name, j.Nested = "y", true }
	for name, tt := range map[string]struct{ got, want string }{
		"with help":     {ask(asIs, "x", "far"), "Tool 'y' not found; the nearest are x, far\nParameters of 'x':\n- path (string, required)"},
		"elsewhere":     {ask(asIs, "far"), "Tool 'y' not found; the nearest are far"},
		"like nothing":  {ask(asIs), "Tool 'y' not found; search_tools finds tools by what they do"},
		"an inner call": {ask(inner, "x"), "Tool 'y' not found; the nearest are x"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: message %q, want %q", name, tt.got, tt.want)
		}
	}
}
