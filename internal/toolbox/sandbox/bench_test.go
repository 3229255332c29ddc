package sandbox_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
)

const small = `const m = new Map(); for (const w of args.text.split(" ")) m.set(w, (m.get(w) || 0) + 1); return [...m].sort((a, b) => b[1] - a[1])`

var text = json.RawMessage(`{"text":"the quick brown fox jumps over the lazy dog the end"}`)

// hostFunc is a host of one function.
type hostFunc func(context.Context, js.Op, json.RawMessage) (json.RawMessage, error)

func (f hostFunc) Do(ctx context.Context, op js.Op, args json.RawMessage) (json.RawMessage, error) {
	return f(ctx, op, args)
}

// percentiles reports the median and the tail beside the mean.
func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func benchmark(b *testing.B, j sandbox.Job) {
	p := newPool(b, sandbox.Options{})
	j.Tenant = "t"
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := p.Run(b.Context(), j); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	percentiles(b, took)
}

func BenchmarkNoop(b *testing.B) { benchmark(b, sandbox.Job{Code: "return args.text", Args: text}) }

func BenchmarkSmall(b *testing.B) { benchmark(b, sandbox.Job{Code: small, Args: text}) }

func BenchmarkRoundTrip(b *testing.B) {
	benchmark(b, sandbox.Job{Code: "return utils.callTool('x', args)", Args: text, Host: echo})
}

func BenchmarkThroughput(b *testing.B) {
	for name, code := range map[string]string{"noop": "return args.text", "small": small} {
		b.Run(name, func(b *testing.B) {
			p := newPool(b, sandbox.Options{Slots: 3})
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := p.Run(b.Context(), sandbox.Job{Tenant: "t", Code: code, Args: text}); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkSpawn measures a call of a tenant without a child, with none in reserve.
func BenchmarkSpawn(b *testing.B) {
	p := newPool(b, sandbox.Options{Slots: 1})
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if _, err := p.Run(b.Context(), sandbox.Job{Tenant: string(rune('a' + i%20)), Code: "return 1"}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	percentiles(b, took)
}

// BenchmarkLeak measures a leak of small objects, from start to answer.
func BenchmarkLeak(b *testing.B) {
	p := newPool(b, sandbox.Options{Slots: 1})
	for b.Loop() {
		_, err := p.Run(b.Context(), sandbox.Job{Code: "const a = []; for (;;) a.push({a: new Array(100).fill(1.5)})"})
		if err == nil || !strings.Contains(err.Error(), "memory") {
			b.Fatal(err)
		}
	}
}

// BenchmarkCPULimit reports by how much a run exceeds the limit.
func BenchmarkCPULimit(b *testing.B) {
	p := newPool(b, sandbox.Options{Slots: 1})
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		l := sandbox.Limits{CPU: 200 * time.Millisecond}
		if _, err := p.Run(b.Context(), sandbox.Job{Code: "while (true);", Limits: l}); err == nil {
			b.Fatal("a loop ended")
		}
		took = append(took, time.Since(start))
	}
	percentiles(b, took)
}

// BenchmarkOversized measures one allocation beyond all bounds, from start to answer.
func BenchmarkOversized(b *testing.B) {
	p := newPool(b, sandbox.Options{})
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := p.Run(b.Context(), sandbox.Job{Code: "return 'x'.repeat(2 ** 28).length"}); err == nil {
			b.Fatal("256 MB were allowed")
		}
		took = append(took, time.Since(start))
	}
	percentiles(b, took)
}
