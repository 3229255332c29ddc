package js

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

// TestMain waits for one goroutine: the clock of the regular expressions, which ends by
// itself when no match has a timeout any more.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// recorder is a host that keeps the log and answers by operation.
type recorder struct {
	mu    sync.Mutex
	lines []LogLine
	ops   map[Op]func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
}

func (h *recorder) Do(ctx context.Context, op Op, args json.RawMessage) (json.RawMessage, error) {
	if op == OpLog {
		var line LogLine
		if err := json.Unmarshal(args, &line); err != nil {
			return nil, err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.lines = append(h.lines, line)
		return json.RawMessage("null"), nil
	}
	if f := h.ops[op]; f != nil {
		return f(ctx, args)
	}
	return nil, tool.Fail(tool.PermissionDenied, "%s is not allowed", op)
}

// log returns the log, one line each.
func (h *recorder) log() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	for _, l := range h.lines {
		b.WriteString(l.Level + " " + l.Message + "\n")
	}
	return b.String()
}

// script returns the task of an operator's file with a function execute.
func script(t testing.TB, source string) *Task {
	t.Helper()
	p, err := Compile("t.js", source)
	if err != nil {
		t.Fatal(err)
	}
	return &Task{Program: p, Function: "execute", Args: []byte(`{}`), Host: &recorder{}}
}

// function returns the task of a body.
func function(t testing.TB, body string) *Task {
	t.Helper()
	p, err := CompileBody("body", body)
	if err != nil {
		t.Fatal(err)
	}
	return &Task{Program: p, Args: []byte(`{}`), Host: &recorder{}}
}

// within runs a task that must end by itself long before the deadline.
func within(t testing.TB, task *Task) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	defer cancel()
	v, err := Run(ctx, task)
	return string(v), checked(t, err)
}

// briefly runs a task that ends only at its deadline.
func briefly(t testing.TB, task *Task) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	v, err := Run(ctx, task)
	if err == nil {
		t.Fatalf("it returned %s", v)
	}
	return checked(t, err)
}

// checked checks every error of a run against the promises of package js.
func checked(t testing.TB, err error) error {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Kind == tool.Internal || e.Msg == "" {
		t.Fatalf("not an error for the model: %#v", err)
	}
	for _, leak := range []string{"github.com", ".go:", "internal/", "goroutine", "runtime error", "0x"} {
		if strings.Contains(e.Msg, leak) {
			t.Fatalf("the message shows %q: %s", leak, e.Msg)
		}
	}
	return err
}

// returns checks that a task returns want.
func returns(t *testing.T, task *Task, want string) {
	t.Helper()
	if got, err := within(t, task); err != nil || got != want {
		t.Fatalf("got %s, %v; want %s", got, err, want)
	}
}

// fails checks that a task fails with that kind and a message with that text.
func fails(t *testing.T, task *Task, kind tool.Kind, message string) {
	t.Helper()
	got, err := within(t, task)
	isFailure(t, got, err, kind, message)
}

func isFailure(t *testing.T, got string, err error, kind tool.Kind, message string) {
	t.Helper()
	e, _ := errors.AsType[*tool.Error](err)
	if e == nil || e.Kind != kind || !strings.Contains(e.Msg, message) {
		t.Fatalf("got %s, %v; want %s with %q", got, err, kind, message)
	}
}

// quiet is a host that answers null.
type quiet struct{}

func (quiet) Do(context.Context, Op, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage("null"), nil
}
