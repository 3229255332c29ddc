package engine

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("secret /srv/a") }

type presenting struct{}

func (presenting) Present(*tool.Result) { panic("secret /srv/b") }

type circle struct{ Next *circle }

func ring() *circle {
	c := &circle{}
	c.Next = c
	return c
}

func absent() *circle { return nil }

// TestCrashes runs every way a tool can break down, each on the same engine,
// which must be as good as new after it.
func TestCrashes(t *testing.T) {
	var run func() (any, error)
	crashing := running(func(context.Context, *tool.Call, pathArgs) (any, error) { return run() }, nil)
	w := holding(t, crashing)
	e := New(w.deps())
	for name, tt := range map[string]struct {
		run   func() (any, error)
		says  string
		cause string
	}{
		"panic":             {func() (any, error) { panic("secret /srv/c") }, "the tool crashed", "secret /srv/c"},
		"panic of nil":      {func() (any, error) { panic(nil) }, "the tool crashed", "nil"}, //nolint:govet // on purpose
		"nil dereference":   {func() (any, error) { return absent().Next, nil }, "the tool crashed", "nil pointer"},
		"Goexit":            {func() (any, error) { runtime.Goexit(); return "x", nil }, "the tool crashed", "Goexit"},
		"panic in encoding": {func() (any, error) { return explosive{}, nil }, "the tool crashed", "secret /srv/a"},
		"panic in Present":  {func() (any, error) { return presenting{}, nil }, "the tool crashed", "secret /srv/b"},
		"a channel":         {func() (any, error) { return make(chan int), nil }, "cannot be encoded", "chan int"},
		"a cycle":           {func() (any, error) { return ring(), nil }, "cannot be encoded", "cycle"},
		"NaN":               {func() (any, error) { return math.NaN(), nil }, "cannot be encoded", "NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			run = tt.run
			out := e.Execute(t.Context(), job(`{"path":"a"}`))
			wantKind(t, out, tool.ExecutionError)
			if !strings.Contains(out.Err.Msg, tt.says) || strings.Contains(out.Err.Msg, "secret") {
				t.Errorf("message = %q, want %q and no secret", out.Err.Msg, tt.says)
			}
			if out.Err.Cause == nil || !strings.Contains(out.Err.Cause.Error(), tt.cause) {
				t.Errorf("cause = %v, want %q in it", out.Err.Cause, tt.cause)
			}
			run = func() (any, error) { return "healthy", nil }
			wantValue(t, e.Execute(t.Context(), job(`{"path":"a"}`)), `"healthy"`)
		})
	}
}

func TestRecoveredKeepsTheStack(t *testing.T) {
	w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) { panic("x") }, nil))
	out := w.execute(t.Context(), job(`{"path":"a"}`))
	wantKind(t, out, tool.ExecutionError)
	if p, ok := errors.AsType[*PanicError](out.Err.Cause); !ok || !strings.Contains(string(p.Stack), "recover_test.go") {
		t.Errorf("cause = %#v, want a panic with this file in its stack", out.Err.Cause)
	}
}
