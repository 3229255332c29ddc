package sandbox_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/sandboxtest"
	"github.com/helve-dev/helve/tool"
)

func liars(t testing.TB, mode string, o sandbox.Options) *sandbox.Pool {
	t.Helper()
	o.Program = []string{sandboxtest.Path(t), mode}
	return newPool(t, o)
}

// A child that breaks the protocol costs its own run only.
func TestLiars(t *testing.T) {
	t.Parallel()
	const ended = "the sandbox ended"
	for mode, tt := range map[string]struct {
		kind   tool.Kind // none: the run ends well
		text   string
		reason string // empty: the child is not ended
	}{
		"closes":        {tool.ExecutionError, ended, "protocol"},
		"silent":        {tool.Timeout, "within", "wall"},
		"garbage":       {tool.ExecutionError, ended, "protocol"},
		"endless":       {tool.ExecutionError, ended, "protocol"},
		"half":          {tool.Timeout, "within", "wall"},
		"half, closes":  {tool.ExecutionError, ended, "protocol"},
		"says too much": {tool.ExecutionError, ended, "protocol"},
		"hello again":   {tool.ExecutionError, ended, "protocol"},
		"gives orders":  {tool.ExecutionError, ended, "protocol"},
		"another's run": {tool.ExecutionError, ended, "protocol"},
		"another's ask": {tool.ExecutionError, ended, "protocol"},
		"no value":      {tool.ExecutionError, ended, "protocol"},
		"bad text":      {tool.ExecutionError, ended, "protocol"},

		"too large":      {tool.ExecutionError, "at most 1048576", ""},
		"says internal":  {tool.ExecutionError, "üü", ""},
		"says denied":    {tool.ExecutionError, "no", ""},
		"invents a kind": {tool.ExecutionError, "no", ""},
		"asks for files": {"", "refused", ""},
		"asks for more":  {"", "refused", ""},
		"goes on":        {"", "1", ""},

		"says too much in one write": {"", "1", ""},

		"floods with asks":  {tool.Timeout, "", "wall or cpu"},
		"floods with lines": {tool.Timeout, "", "wall or cpu"},
		"floods with bulk":  {tool.Timeout, "", "wall or cpu"},

		"forks":     {tool.Timeout, "within", "wall"},
		"exits":     {tool.ExecutionError, "crashed", "crash"},
		"panics":    {tool.ExecutionError, "crashed", "crash"},
		"says more": {tool.Timeout, "", "wall or cpu"},

		"locked, opens a file":     {"", "refused", ""},
		"locked, writes a file":    {"", "refused", ""},
		"locked, opens a socket":   {tool.ExecutionError, "crashed", "crash"},
		"locked, signals its pool": {tool.ExecutionError, "crashed", "crash"},
		"locked, signals all":      {tool.ExecutionError, "crashed", "crash"},
		"locked, forks":            {tool.ExecutionError, "crashed", "crash"},
	} {
		t.Run(mode, func(t *testing.T) {
			// On a busy machine too, only a script that ends at a limit comes near it.
			var limits sandbox.Limits
			switch tt.reason {
			case "wall":
				limits.Wall = 300 * time.Millisecond
			case "wall or cpu":
				limits = sandbox.Limits{Wall: time.Second, CPU: 300 * time.Millisecond}
			}
			var killed kills
			p := liars(t, mode, sandbox.Options{Slots: 1, Killed: killed.add, Limits: limits})
			var asks atomic.Int64
			host := hostFunc(func(_ context.Context, op js.Op, _ json.RawMessage) (json.RawMessage, error) {
				if asks.Add(1); op != js.OpCall && op != js.OpLog {
					t.Errorf("the host was asked for %s", op)
				}
				return json.RawMessage("1"), nil
			})
			v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: "return 1", Host: host})
			if tt.kind == "" {
				if err != nil || strings.Trim(string(v), `"`) != tt.text {
					t.Errorf("Run = %s, %v, want %s", v, err, tt.text)
				}
			} else {
				wants(t, err, tt.kind, tt.text)
			}
			if e := tool.AsError(err); e != nil && len(e.Msg) > 5000 {
				t.Errorf("the message has %d bytes", len(e.Msg))
			}
			if mode == "floods with lines" && asks.Load() > 1000 {
				t.Errorf("%d lines reached the host", asks.Load())
			}
			got := killed.take()
			if tt.reason == "" && len(got) != 0 || tt.reason != "" && len(got) != 1 {
				t.Fatalf("killed for %v, want for %q", got, tt.reason)
			}
			for reason := range got {
				if !strings.Contains(tt.reason, reason) {
					t.Errorf("killed for %s, want for %s", reason, tt.reason)
				}
			}
		})
	}
}

// A message between two runs ends the child, and costs no run.
func TestChatterBetweenRuns(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"says too much in one write", "goes on"} {
		p := liars(t, mode, sandbox.Options{Slots: 1})
		for range 5 {
			if v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t"}); err != nil || string(v) != "1" {
				t.Fatalf("%s: Run = %s, %v, want 1", mode, v, err)
			}
			until(t, p.Spoke)
		}
	}
}

// However many requests a child sends, the host runs a bounded number concurrently.
func TestTheHostIsNotFlooded(t *testing.T) {
	t.Parallel()
	const most = 16
	p := liars(t, "floods with asks", sandbox.Options{Slots: 1})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var now, tooMany atomic.Int64
	host := hostFunc(func(ctx context.Context, _ js.Op, _ json.RawMessage) (json.RawMessage, error) {
		n := now.Add(1)
		defer now.Add(-1)
		if n > most {
			tooMany.Store(n)
		}
		if n == most {
			time.AfterFunc(200*time.Millisecond, stop) // in this time more could start
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	_, err := p.Run(ctx, sandbox.Job{Host: host})
	wants(t, err, tool.Cancelled, "")
	if n := tooMany.Load(); n > 0 {
		t.Errorf("the host did %d things at once, want %d", n, most)
	}
}

// A child that does not read does not block the pool that writes to it.
func TestADeafChild(t *testing.T) {
	t.Parallel()
	var killed kills
	p := liars(t, "deaf", sandbox.Options{Slots: 1, Killed: killed.add})
	args := []byte(`{"a":"` + strings.Repeat("x", 4<<20) + `"}`)
	_, err := p.Run(t.Context(), sandbox.Job{Args: args, Limits: sandbox.Limits{Wall: 200 * time.Millisecond}})
	wants(t, err, tool.Timeout, "within 200ms")
	if got := killed.take(); got["wall"] != 1 {
		t.Errorf("killed for %v, want for wall", got)
	}
}

// A child that does not become ready is an error.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for mode, text := range map[string]string{
		"leaves":    "ended before it was ready",
		"refuses":   "cannot be locked down: no landlock",
		"chatters":  "ended before it was ready",
		"complains": "the wrong binary",
	} {
		p, err := sandbox.New(sandbox.Options{Program: []string{sandboxtest.Path(t), mode}})
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: New = %v, want an error with %q", mode, err, text)
		}
	}
	if _, err := sandbox.New(sandbox.Options{Program: []string{"/does/not/exist"}}); err == nil {
		t.Error("New without a program succeeded")
	}
}
