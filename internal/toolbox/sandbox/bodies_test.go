package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// bodyHost answers with a body beside the JSON.
type bodyHost struct {
	hostFunc
	body []byte
	done atomic.Int64
}

func (h *bodyHost) Answer(context.Context, js.Request) (js.Answer, error) {
	return js.Answer{Value: json.RawMessage(`{"status":200}`), Body: h.body, Done: func() { h.done.Add(1) }}, nil
}

// TestBodies: a body arrives unchanged, and the host is notified when it was sent.
func TestBodies(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	every := make([]byte, js.MaxBody)
	for i := range every {
		every[i] = byte(i)
	}
	h := &bodyHost{body: every}
	code := `const b = new Uint8Array(await (await fetch("http://127.0.0.1/")).arrayBuffer());
		return b.length === 5 << 20 && b.every((x, i) => x === i % 256)`
	v, err := p.Run(t.Context(), sandbox.Job{Code: code, Network: true, Host: h})
	if err != nil || string(v) != "true" {
		t.Errorf("Run = %.200s, %v, want every byte", v, err)
	}
	until(t, func() bool { return h.done.Load() == 1 })

	large := &bodyHost{body: make([]byte, 9<<20)}
	v, err = p.Run(t.Context(), sandbox.Job{Code: `return fetch("http://127.0.0.1/").catch((e) => e.message)`, Network: true, Host: large})
	if err != nil || !strings.Contains(string(v), "does not fit") {
		t.Errorf("Run = %.200s, %v, want to hear that the body is too large", v, err)
	}
	until(t, func() bool { return large.done.Load() == 1 })
}

// sentHost keeps the bodies it receives.
type sentHost struct {
	hostFunc
	mu   sync.Mutex
	sent []js.Request
}

func (h *sentHost) Answer(_ context.Context, req js.Request) (js.Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sent = append(h.sent, req)
	return js.Answer{Value: json.RawMessage(`{"status":200}`), Body: make([]byte, js.MaxBody)}, nil
}

// TestBodiesSent: a body sent by a script arrives unchanged, not converted to text.
func TestBodiesSent(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	every := make([]byte, js.MaxBody)
	for i := range every {
		every[i] = byte(i)
	}
	for name, code := range map[string]string{
		"fetch":     `const sent = fetch("http://127.0.0.1/", {method: "POST", body: b}); b.fill(0); await sent; return 1`,
		"a buffer":  `const sent = fetch("http://127.0.0.1/", {method: "POST", body: b.buffer}); b.fill(0); await sent; return 1`,
		"writeFile": `fs.writeFile("x", b); return 1`,
	} {
		h := &sentHost{}
		_, err := p.Run(t.Context(), sandbox.Job{
			Code:    `const b = new Uint8Array(5 << 20); for (let i = 0; i < 256; i++) b[i] = i; for (let n = 256; n < b.length; n *= 2) b.copyWithin(n, 0, n); ` + code,
			Network: true,
			Files:   true,
			Host:    h,
		})
		if err != nil || len(h.sent) != 1 {
			t.Errorf("%s: Run = %v with %d requests", name, err, len(h.sent))
			continue
		}
		if got := h.sent[0]; !bytes.Equal(got.Body, every) || len(got.Args) > 300 {
			t.Errorf("%s: a body of %d bytes beside arguments of %d, want every byte in the body", name, len(got.Body), len(got.Args))
		}
	}
}

// TestBodiesBothWays: a script that sends and receives large bodies concurrently ends long
// before its wall limit, even if some of them are refused.
func TestBodiesBothWays(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	code := `const body = new Uint8Array(4 << 20);
		const all = await Promise.allSettled(Array.from({length: 20}, () => fetch("http://127.0.0.1/", {method: "POST", body}).then((r) => r.status)));
		return all.every((x) => x.value === 200 || x.reason.error_type === "rate_limited")`
	v, err := p.Run(t.Context(), sandbox.Job{Code: code, Network: true, Host: &sentHost{}})
	if kind := tool.AsError(err); err != nil && (kind.Kind != tool.ExecutionError || !strings.Contains(kind.Msg, "memory")) {
		t.Fatalf("Run = %s, %v", v, err)
	}
	if err == nil && string(v) != "true" {
		t.Errorf("Run = %s, want each to be answered or refused", v)
	}
}

// TestHeavyRunsYield: a run that computes for long has the lowest priority, and the next
// run has the normal priority of a child.
func TestHeavyRunsYield(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	least := func() int {
		lowest := 0
		for _, pid := range p.Pids() {
			lowest = max(lowest, slices.Min(nice(t, pid)))
		}
		return lowest
	}
	before := least()
	during := 0
	h := hostFunc(func(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) {
		during = least()
		return json.RawMessage("null"), nil
	})
	busy := `const end = Date.now() + 500; while (Date.now() < end); await utils.callTool("x", {}); return 1`
	if _, err := p.Run(t.Context(), sandbox.Job{Tenant: "a", Code: busy, Host: h}); err != nil || during != 19 && during != max(10, before) {
		t.Errorf("nice %d after half a second of computing, %v; want 19, or 10 where it cannot be lowered again", during, err)
	}
	until(t, func() bool { return least() == before })
	if _, err := p.Run(t.Context(), sandbox.Job{Tenant: "a", Code: `await utils.callTool("x", {}); return 1`, Host: h}); err != nil ||
		during != before {
		t.Errorf("nice %d in the run after, %v; want %d", during, err, before)
	}
}

// TestChildrenGiveWay: every thread of a child has a lower priority than this process.
func TestChildrenGiveWay(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	own := slices.Min(nice(t, os.Getpid())) // the thread that forks has the niceness of the children
	for _, pid := range p.Pids() {
		if got := slices.Min(nice(t, pid)); got <= own && own < 19 {
			t.Errorf("a thread of child %d has nice %d, and this process %d", pid, got, own)
		}
	}
}

// nice returns the niceness of each thread of a process, as the kernel reports it.
func nice(t *testing.T, pid int) (all []int) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(text), ") ")
		var n int
		if _, err := fmt.Sscan(strings.Fields(after)[16], &n); err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		t.Fatalf("process %d has no threads", pid)
	}
	return all
}
