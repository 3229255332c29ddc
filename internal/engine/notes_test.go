package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestNotes: a result comes with what its caller must know: ignored parameters, a
// changed limit, and what the tool itself says, at most 5.
func TestNotes(t *testing.T) {
	noisy := echoing(t, `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}}}`, &tool.Limit{
		Param:   "limit",
		Max:     50,
		Default: 20,
	})
	w := holding(t, noisy)
	for args, want := range map[string][]string{
		`{"path":"a","limit":5}`: nil,
		`{"path":"a"}`:           nil,
		`{"path":"a","file":1,"limit":900}`: {
			"parameter 'file' is unknown and was ignored; the nearest is 'path'", "limit was 900; 50 was used (1 to 50)",
		},
		`{"zebra":1}`: {"parameter 'zebra' is unknown and was ignored; parameters: path (string), limit (integer)"},
	} {
		out := w.execute(t.Context(), job(args))
		if out.Err != nil || !slices.Equal(out.Result.Notes, want) {
			t.Errorf("%s: notes %q, error %v, want %q", args, out.Result.Notes, out.Err, want)
		}
	}
	many := w.execute(t.Context(), job(`{"u1":1,"u2":1,"u3":1,"u4":1,"u5":1,"u6":1,"u7":1}`))
	if n := many.Result.Notes; len(n) != 4 || n[3] != "4 more parameters are unknown and were ignored" {
		t.Errorf("notes %q, want three parameters and how many more", n)
	}
}

// TestNotesOfTheTool come behind those about its arguments, bounded, and not with an error.
func TestNotesOfTheTool(t *testing.T) {
	said := func(n int, fail error) *tool.Tool {
		return running(func(_ context.Context, call *tool.Call, _ pathArgs) (any, error) {
			for range n {
				call.Note("showing %d of %d; %s", 1, 2, strings.Repeat("é", 300))
			}
			return "x", fail
		}, nil)
	}
	out := holding(t, said(9, nil)).execute(t.Context(), job(`{"path":"a","zebra":1}`))
	if n := out.Result.Notes; len(n) != 5 || !strings.HasPrefix(n[0], "parameter 'zebra'") || !strings.HasPrefix(n[1], "showing 1 of 2; é") ||
		len(n[1]) > 410 {
		t.Errorf("notes %q", n)
	}
	if out := holding(t, said(1, tool.Fail(tool.ExecutionError, "no"))).execute(t.Context(), job(`{"path":"a"}`)); out.Result.Notes != nil {
		t.Errorf("an error has the notes %q", out.Result.Notes)
	}
	cut := echoing(t, `{"type":"object"}`, nil)
	cut, err := tool.New(cut.Definition, 0, func(context.Context, *tool.Call, json.RawMessage) (tool.Result, error) {
		return tool.Result{Truncated: true}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := holding(t, cut).execute(t.Context(), job(`{}`)); len(out.Result.Notes) != 1 ||
		!strings.Contains(out.Result.Notes[0], "was cut") {
		t.Errorf("a cut result has the notes %q", out.Result.Notes)
	}
}

// TestUnknownParameterOfAChange: what a caller meant by a parameter that does not exist
// would not happen, so a call that changes something does not run.
func TestUnknownParameterOfAChange(t *testing.T) {
	depends := func(s *tool.Spec[pathArgs, any]) {
		s.Mutates, s.Reads = true, func(a pathArgs) bool { return a.Path == "look" }
	}
	run := func(change func(*tool.Spec[pathArgs, any]), args string) Outcome {
		return holding(t,
			running(func(context.Context, *tool.Call, pathArgs) (any, error) { return "ran", nil }, change)).execute(t.Context(), job(args))
	}
	wantValue(t, run(nil, `{"path":"a","zebra":1}`), `"ran"`)
	wantValue(t, run(depends, `{"path":"look","zebra":1}`), `"ran"`)
	for _, change := range []func(*tool.Spec[pathArgs, any]){mutating, depends} {
		out := run(change, `{"path":"a","zebra":1,"file":2}`)
		wantKind(t, out, tool.ValidationError)
		if want := "unknown parameter 'file': did you mean 'path'?; unknown parameter 'zebra'; parameters: " +
			"path (string, required)"; out.Err.Msg != want {
			t.Errorf("message %q, want %q", out.Err.Msg, want)
		}
	}
	for args, want := range map[string]string{
		`{}`:          "missing required parameter 'path'; parameters: path (string, required)",
		`{"zebra":1}`: "missing required parameter 'path'; unknown parameter 'zebra'; parameters: path (string, required)",
		`{"file":1}`:  "unknown parameter 'file': did you mean 'path'?; parameters: path (string, required)",
		`{"path":1}`:  "path: expected string, got number",
	} {
		out := run(mutating, args)
		wantKind(t, out, tool.ValidationError)
		if out.Err.Msg != want {
			t.Errorf("%s: message %q, want %q", args, out.Err.Msg, want)
		}
	}
}
