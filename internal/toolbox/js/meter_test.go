package js

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

// TestMeter: what grows step by step ends the script, and not the process.
func TestMeter(t *testing.T) { // measures the memory of the process: not in parallel
	testtime.Slow(t, "it fills memory with many scripts")
	m := NewMeter(12 << 20)
	for _, body := range []string{
		`let s = "x".repeat(1e6); for (;;) s += s`,
		`let s = "x".repeat(1e6); for (;;) s = s + s`,
		"let s = \"x\".repeat(1e6); for (;;) s = `${s}${s}`",
		`let s = "x".repeat(1e6); for (;;) s = s.concat(s)`,
		`const a = []; for (;;) a.push("x".repeat(1e6) + a.length)`,
		`const a = []; for (;;) a.push(a.length)`,
		`const a = [1]; for (;;) a.push(...a)`,
		`let a = [1]; for (;;) a = [...a, ...a]`,
		`let a = [1]; for (;;) a = a.concat(a)`,
		`const m = new Map(); for (let i = 0;; i++) m.set(i, i)`,
		`const m = new Set(); for (let i = 0;; i++) m.add("k" + i)`,
		`const o = {}; for (let i = 0;; i++) o["k" + i] = i`,
		`let r = "x"; for (;;) r = r.padEnd(r.length * 2, r)`,
		`const all = []; for (;;) all.push(new Uint8Array(1e6))`,
		`return "a".repeat(1e5).replace(/a/g, () => "b".repeat(1e3)).length`,
		`return new Promise(() => { let s = "x"; for (;;) s += s })`,
		`const e = []; for (;;) try { null.x } catch (x) { e.push(x) }`,
	} {
		task := operator(t, body)
		task.Meter = m
		got, err := within(t, task)
		e, _ := errors.AsType[*tool.Error](err)
		if e == nil || e.Kind != tool.ExecutionError {
			t.Errorf("%s = %s, %v, want an error of the script", body, got, err)
		}
	}
}

// TestMeterSparesOthers: a waiting script is not ended because another one grows, and a
// script that only creates garbage is not ended.
func TestMeterSparesOthers(t *testing.T) { // measures the memory of the process: not in parallel
	m := NewMeter(16 << 20)
	waits := make(chan error, 1)
	waiting, answer := make(chan struct{}), make(chan struct{})
	go func() {
		task := function(t, `return await utils.callTool("x", {})`)
		task.Meter, task.Host = m, hostDo(func(context.Context) { close(waiting); <-answer })
		_, err := Run(t.Context(), task)
		waits <- err
	}()
	<-waiting
	task := operator(t, `const a = []; for (;;) a.push("x".repeat(1e5) + a.length)`)
	task.Meter = m
	fails(t, task, tool.ExecutionError, "held more than 16 MB of memory")
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // what is garbage stays until the meter has it collected
	swept := func() time.Time {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.swept
	}
	for before := swept(); swept().Equal(before); {
		garbage := operator(t, `let n = 0; for (let i = 0; i < 400; i++) n += ("x".repeat(1e5) + i).length; return n > 0`)
		garbage.Meter = m
		returns(t, garbage, "true")
	}
	close(answer)
	if err := <-waits; err != nil {
		t.Errorf("the script that waited ended in %v", err)
	}
}

// TestMeterSleeps: a meter without scripts does nothing.
func TestMeterSleeps(t *testing.T) {
	t.Parallel()
	m := NewMeter(0)
	task := operator(t, `return 1`)
	task.Meter = m
	returns(t, task, "1")
	asleep := func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return !m.awake && len(m.running) == 0
	}
	for until := time.Now().Add(testtime.Patience()); !asleep(); <-time.After(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it is still awake")
		}
	}
	returns(t, task, "1")
}

// hostDo is a host that runs a function and answers null.
type hostDo func(context.Context)

func (h hostDo) Do(ctx context.Context, _ Op, _ json.RawMessage) (json.RawMessage, error) {
	h(ctx)
	return json.RawMessage("null"), nil
}

// BenchmarkMeter measures a script that holds little, with a meter and without.
func BenchmarkMeter(b *testing.B) {
	for _, m := range []*Meter{nil, NewMeter(0)} {
		b.Run(map[bool]string{true: "without", false: "with"}[m == nil], func(b *testing.B) {
			p, err := Compile("tool.js",
				`function execute(args) { const a = []; for (let i = 0; i < 200; i++) a.push(i + ": " + args.a); return a.join("\n") }`)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(b.Context(), &Task{
					Program:  p,
					Function: "execute",
					Args:     json.RawMessage(`{"a":1}`),
					Meter:    m,
					Host:     quiet{},
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
