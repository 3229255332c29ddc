package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

// rewrites is middleware that puts its own arguments in place of the caller's.
func rewrites(args string) tool.Middleware {
	return tool.Middleware{Name: "rewrites", Before: func(context.Context, *tool.Call, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(args), nil
	}}
}

// TestMiddlewareHash: a person's yes, and a token, hold for the arguments that will
// run, which are not those that were sent.
func TestMiddlewareHash(t *testing.T) {
	hashOf := func(args string) string {
		hash, err := schema.Hash([]byte(args))
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	w := holding(t, number(t))
	j := job(`{"n":1}`)
	j.Name = "echo"
	d := w.deps()
	d.Middleware = []tool.Middleware{rewrites(`{"n":7}`)}
	wantValue(t, New(d).Execute(t.Context(), j), "7")
	if j.ArgsHash() != hashOf(`{"n":7}`) || j.SentHash() != hashOf(`{"n":1}`) {
		t.Errorf("judged as %s, sent as %s", j.ArgsHash(), j.SentHash())
	}
}

// TestMiddlewareKeepsWhatOthersMade: a Before that returns no arguments does
// not restore those that the one before it has replaced.
func TestMiddlewareKeepsWhatOthersMade(t *testing.T) {
	w := holding(t, number(t))
	j := job(`{"n":1}`)
	j.Name = "echo"
	d := w.deps()
	d.Middleware = []tool.Middleware{
		rewrites(`{"n":7}`),
		{Name: "looks", Before: func(context.Context, *tool.Call, json.RawMessage) (json.RawMessage, error) { return nil, nil }},
	}
	wantValue(t, New(d).Execute(t.Context(), j), "7")
}

// TestMiddlewareHearsOfEveryEnd: After is called for each that let the call pass, whatever
// its end: by a crash of a neighbour or of a stage, or with an error whose cause
// would have steered the worker if it had been the error itself.
func TestMiddlewareHearsOfEveryEnd(t *testing.T) {
	crash := tool.Middleware{Name: "crash", Before: func(context.Context, *tool.Call, json.RawMessage) (json.RawMessage, error) { panic("x") }}
	late := tool.Middleware{Name: "late", After: func(context.Context, *tool.Call, tool.Result, error) (tool.Result, error) { panic("x") }}
	for _, tt := range []struct {
		name  string
		after tool.Middleware
		setUp func(w *world)
		want  string
	}{
		{"a crash before", crash, func(*world) {}, "after a internal"},
		{"a crash after", late, func(*world) {}, "after a internal"},
		{"a crash of a stage", tool.Middleware{Name: "none"}, func(w *world) { w.panics = true }, "after a internal"},
		{"a cause", tool.Middleware{Name: "none"}, func(w *world) {
			w.tools["echo"].Tool = running(func(context.Context, *tool.Call, pathArgs) (any, error) {
				return nil, tool.Fail(tool.ExecutionError, "not now").Because(fmt.Errorf("inner: %w", ErrRetry))
			}, nil)
		}, "after a execution_error"},
	} {
		var notes []string
		w := holding(t, number(t))
		tt.setUp(w)
		j := job(`{"n":1}`)
		j.Name = "echo"
		d := w.deps()
		d.Middleware = []tool.Middleware{diary(&notes, "a"), tt.after}
		out := New(d).Execute(t.Context(), j)
		if out.Control != nil || out.Err == nil || !slices.Contains(notes, tt.want) {
			t.Errorf("%s: %v %v, %q, want %q", tt.name, out.Err, out.Control, notes, tt.want)
		}
	}
}
