package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// cageRate is the number of runs per second in the sandbox, with as many callers as
// keep the cores busy.
func cageRate(ctx context.Context, f *fleet, s *Sheet, pool *sandbox.Pool) error {
	for _, c := range []struct{ name, body, args string }{{"noop", noopBody, noopArgs}, {"small", smallBody, smallArgs}} {
		ctx, cancel := context.WithTimeout(ctx, f.opts.Time)
		var done atomic.Int64
		var failed atomic.Pointer[error]
		var all sync.WaitGroup
		began := time.Now()
		for range runtime.NumCPU() + 1 {
			all.Go(func() {
				for ctx.Err() == nil {
					_, err := pool.Run(ctx, sandbox.Job{Tenant: "bench", Name: c.name, Code: c.body, Args: json.RawMessage(c.args)})
					if err != nil && ctx.Err() == nil {
						failed.Store(&err)
						return
					}
					done.Add(1)
				}
			})
		}
		all.Wait()
		cancel()
		if err := failed.Load(); err != nil {
			return *err
		}
		s.put("cage_"+c.name+"_per_s", float64(done.Load())/time.Since(began).Seconds(),
			fmt.Sprintf("%s runs a second in the sandbox, %d callers", c.name, runtime.NumCPU()+1))
	}
	return nil
}

// attack is a script that the sandbox must stop, with the expected reason.
type attack struct {
	name, about, code string
	limits            sandbox.Limits
	kind              tool.Kind
	// after is the time that the limit allows: the figure is the time beyond it.
	after time.Duration
}

var attacks = []attack{
	{
		"cpu_limit_over_ms", "milliseconds beyond the CPU limit of a second until a loop has its answer", `for (;;) {}`,
		sandbox.Limits{CPU: time.Second}, tool.Timeout, time.Second,
	},
	{
		"wall_limit_over_ms", "milliseconds beyond the wall limit until a promise that never settles on a host has its answer",
		`await utils.callTool("x", {})`, sandbox.Limits{Wall: 500 * time.Millisecond}, tool.Timeout, 500 * time.Millisecond,
	},
	{
		"one_allocation_ms", "milliseconds until one allocation of 512 MB has its answer", `return "x".repeat(1 << 29).length`, sandbox.Limits{},
		tool.ExecutionError, 0,
	},
	{
		"leak_ms", "milliseconds until a leak is at 50 MB and has its answer",
		`const all = []; for (;;) all.push(new Array(1000).fill(all.length))`, sandbox.Limits{}, tool.ExecutionError, 0,
	},
}

// stalled is a host that does not answer before the run is over.
type stalled struct{}

// Do implements [js.Host].
func (stalled) Do(ctx context.Context, _ js.Op, _ json.RawMessage) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// asked is a host that signals each request.
type asked chan time.Time

// Do implements [js.Host].
func (a asked) Do(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) {
	a <- time.Now()
	return json.RawMessage("null"), nil
}

// slowLeak logs when it holds 44 MB, and continues to leak in small pieces.
const slowLeak = `const all = [];
for (let i = 0; i < 440; i++) all.push("x".repeat(100000));
await utils.callTool("x", {});
for (;;) all.push(new Array(1000).fill(0));`

// leakSeen measures how soon a slow leak is stopped once it is about to cross its
// limit: the time until then depends only on the interpreter.
func leakSeen(ctx context.Context, f *fleet, s *Sheet, pool *sandbox.Pool) error {
	var times histogram
	for range 2 * f.opts.Rounds {
		at := make(asked, 1)
		_, err := pool.Run(ctx, sandbox.Job{Tenant: "bench", Name: "leak", Code: slowLeak, Args: json.RawMessage(`{}`), Host: at})
		if err := expect(err, tool.ExecutionError); err != nil {
			return fmt.Errorf("a slow leak: %w", err)
		}
		if len(at) == 0 {
			return errors.New("a slow leak was ended before it held 44 MB")
		}
		times.add(time.Since(<-at))
	}
	s.put("leak_seen_ms", times.quantile(0.50)/1000, "milliseconds until a slow leak that holds 44 MB has its answer, median")
	return nil
}

// freshChildren is the time of a run that needs a new child, with none in reserve.
func freshChildren(ctx context.Context, f *fleet, s *Sheet) error {
	pool, err := sandbox.New(sandbox.Options{Program: f.opts.Child, Slots: 1})
	if err != nil {
		return err
	}
	defer pool.Close()
	tenant := 0
	p := &probe{about: "a new child", slow: true, call: func(ctx context.Context) error {
		tenant++
		_, err := pool.Run(ctx, sandbox.Job{Tenant: strconv.Itoa(tenant), Name: "noop", Code: noopBody, Args: json.RawMessage(noopArgs)})
		return err
	}}
	if err := p.time(ctx, f.opts.Time); err != nil {
		return err
	}
	s.put("cage_new_p50_ms", p.times.quantile(0.50)/1000, "milliseconds of a run that waits for a new child, from fork to answer")
	s.put("cage_new_p99_ms", p.times.quantile(0.99)/1000, "the same, 99th percentile")
	return nil
}

// cageLimits measures how soon the sandbox stops hostile scripts, while bystanders run,
// and how soon a slot is free again.
func cageLimits(ctx context.Context, s *Sheet, child []string) error {
	began := time.Now()
	pool, err := sandbox.New(sandbox.Options{Program: child})
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Run(ctx, sandbox.Job{Tenant: "first", Name: "noop", Code: noopBody, Args: json.RawMessage(noopArgs)}); err != nil {
		return err
	}
	s.put("first_answer_ms", float64(time.Since(began).Microseconds())/1000, "milliseconds from no child at all to the first answer")
	for _, a := range attacks {
		began := time.Now()
		_, err := pool.Run(ctx, sandbox.Job{
			Tenant: "bench",
			Name:   "attack",
			Code:   a.code,
			Args:   json.RawMessage(`{}`),
			Limits: a.limits,
			Host:   stalled{},
		})
		took := time.Since(began) - a.after
		if err := expect(err, a.kind); err != nil {
			return fmt.Errorf("%s: %w", a.about, err)
		}
		s.put(a.name, float64(took.Microseconds())/1000, a.about)
		began = time.Now()
		if _, err := pool.Run(ctx, sandbox.Job{Tenant: "bench", Name: "noop", Code: noopBody, Args: json.RawMessage(noopArgs)}); err != nil {
			return err
		}
		if a.name == "cpu_limit_over_ms" {
			s.put("slot_back_ms", float64(time.Since(began).Microseconds())/1000, "milliseconds a run takes after a kill")
		}
	}
	return unharmed(ctx, s, pool)
}

// unharmed runs good scripts of one tenant beside hostile ones of another.
func unharmed(ctx context.Context, s *Sheet, pool *sandbox.Pool) error {
	const good, hostile = 200, 20
	var failed atomic.Int64
	var all sync.WaitGroup
	for i := range good + hostile {
		all.Go(func() {
			j := sandbox.Job{Tenant: "good", Name: "small", Code: smallBody, Args: json.RawMessage(smallArgs)}
			if i < hostile {
				a := attacks[i%len(attacks)]
				j = sandbox.Job{Tenant: "hostile", Name: "attack", Code: a.code, Args: json.RawMessage(`{}`), Host: stalled{}, Limits: sandbox.Limits{
					Wall: time.Second, CPU: 300 * time.Millisecond,
				}}
			}
			if _, err := pool.Run(ctx, j); err != nil && i >= hostile {
				failed.Add(1)
			}
		})
	}
	all.Wait()
	s.put("bystanders_failed", float64(failed.Load()), fmt.Sprintf("of %d good runs beside %d hostile ones of another tenant", good, hostile))
	return ctx.Err()
}
