package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// kills counts the reasons that a pool reports.
type kills struct {
	mu    sync.Mutex
	count map[string]int
}

func (k *kills) add(reason string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.count == nil {
		k.count = map[string]int{}
	}
	k.count[reason]++
}

// take returns the counts since the last call.
func (k *kills) take() map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	count := k.count
	k.count = nil
	return count
}

func TestLimits(t *testing.T) {
	var killed kills
	p := newPool(t, sandbox.Options{Slots: 1, Killed: killed.add})
	forever := hostFunc(func(ctx context.Context, _ js.Op, _ json.RawMessage) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for name, tt := range map[string]struct {
		job    sandbox.Job
		kind   tool.Kind
		text   string
		reason string
	}{
		"wall": {
			sandbox.Job{Code: "await utils.callTool('x', {})", Host: forever, Limits: sandbox.Limits{Wall: 100 * time.Millisecond}},
			tool.Timeout, "within 100ms", "wall",
		},
		"cpu": {
			sandbox.Job{Code: "while (true);", Limits: sandbox.Limits{CPU: 100 * time.Millisecond}}, tool.Timeout, "100ms of CPU", "cpu",
		},
		"both": {
			sandbox.Job{Code: "while (true);", Limits: sandbox.Limits{Wall: 20 * time.Millisecond}}, tool.Timeout, "within 20ms", "wall",
		},
		"memory, fast": {sandbox.Job{Code: "return 'x'.repeat(2 ** 28).length"}, tool.ExecutionError, "50 MB", "memory"},
		"memory, slow": {
			sandbox.Job{Code: "const a = []; for (;;) a.push({a: new Array(100).fill(a.length)})"}, tool.ExecutionError, "50 MB", "memory",
		},
		"memory, less": {
			sandbox.Job{
				Code: "const a = []; for (let i = 0; i < 100; i++) a.push(new Array(20000).fill(i)); for (let i = 0; i < 1e5; i++) a[0][0] += i; " +
					"return a.length",
				Limits: sandbox.Limits{Memory: 10 << 20},
			},
			tool.ExecutionError, "10 MB", "memory",
		},
	} {
		_, err := p.Run(t.Context(), tt.job)
		t.Run(name, func(t *testing.T) {
			wants(t, err, tt.kind, tt.text)
			if got := killed.take(); len(got) != 1 || got[tt.reason] != 1 {
				t.Errorf("killed for %v, want for %s, once", got, tt.reason)
			}
		})
		if v, err := p.Run(t.Context(), sandbox.Job{Code: "return 1"}); err != nil || string(v) != "1" {
			t.Errorf("after %s Run = %s, %v", name, v, err)
		}
	}
}

// A script may use its full memory limit, again and again, in a child that holds the
// garbage of earlier runs.
func TestGarbageIsNotHeldAgainstARun(t *testing.T) {
	t.Parallel()
	var killed kills
	p := newPool(t, sandbox.Options{Slots: 1, Killed: killed.add})
	const (
		large = "const a = []; for (let i = 0; i < 25; i++) a.push(new Array(20000).fill(i)); return a.length" // 8 MB
		small = "let n = 0; for (let i = 0; i < 200000; i++) n += i; return n"
	)
	for i := range 5 {
		for _, j := range []sandbox.Job{{Code: large}, {Code: small, Limits: sandbox.Limits{Memory: 2 << 20}}} {
			if _, err := p.Run(t.Context(), j); err != nil {
				t.Errorf("round %d: %v", i, err)
			}
		}
	}
	if got := killed.take(); len(got) != 0 {
		t.Errorf("killed for %v", got)
	}
}

// Limits above the pool's are lowered to them.
func TestLimitsOfThePool(t *testing.T) {
	t.Parallel()
	quick := newPool(t, sandbox.Options{Slots: 1, Limits: sandbox.Limits{Wall: 50 * time.Millisecond}})
	_, err := quick.Run(t.Context(), sandbox.Job{Code: "while (true);", Limits: sandbox.Limits{Wall: time.Hour}})
	wants(t, err, tool.Timeout, "within 50ms")
	short := newPool(t, sandbox.Options{Slots: 1, Limits: sandbox.Limits{Output: 10}})
	_, err = short.Run(t.Context(), sandbox.Job{Code: "return 'x'.repeat(50)", Limits: sandbox.Limits{Output: 1000}})
	wants(t, err, tool.ExecutionError, "at most 10")
}

var errStop = errors.New("a cause of the caller")

func TestContextEndsARun(t *testing.T) {
	t.Parallel()
	var killed kills
	p := newPool(t, sandbox.Options{Slots: 1, Killed: killed.add})
	for name, tt := range map[string]struct {
		ctx  func() (context.Context, context.CancelFunc)
		kind tool.Kind
		is   error
	}{
		"a deadline": {func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), time.Second)
		}, tool.Timeout, context.DeadlineExceeded},
		"a cause": {func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(t.Context())
			timer := time.AfterFunc(time.Second, func() { cancel(errStop) })
			return ctx, func() { timer.Stop(); cancel(nil) }
		}, tool.Cancelled, errStop},
		"before it began": {func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx, cancel
		}, tool.Cancelled, context.Canceled},
	} {
		ctx, cancel := tt.ctx()
		_, err := p.Run(ctx, sandbox.Job{Code: "while (true);"})
		cancel()
		wants(t, err, tt.kind, "")
		if !errors.Is(err, tt.is) {
			t.Errorf("%s: Run = %v, want one that wraps %v", name, err, tt.is)
		}
	}
	if got := killed.take(); got["cancelled"] != 2 {
		t.Errorf("killed for %v, want twice for cancelled", got)
	}
}

// A wait for a slot ends with its context.
func TestWaitForASlot(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	busy, running := make(chan struct{}), make(chan struct{})
	host := hostFunc(func(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) {
		close(running)
		<-busy
		return json.RawMessage("1"), nil
	})
	done := make(chan error, 1)
	go func() {
		_, err := p.Run(t.Context(), sandbox.Job{Code: "return utils.callTool('x', {})", Host: host})
		done <- err
	}()
	<-running
	if _, n := p.Stats(); n != 1 {
		t.Errorf("%d slots are busy, want 1", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := p.Run(ctx, sandbox.Job{Code: "return 1"})
	wants(t, err, tool.Overloaded, "was not started")
	if v, err := p.Run(t.Context(), sandbox.Job{Code: "return 1", Depth: 1}); err != nil || string(v) != "1" {
		t.Errorf("at depth 1 Run = %s, %v: a script's slots are its own", v, err)
	}
	close(busy)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
