package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// typicalArgs is a schema of nine properties, as in tools that store something.
type typicalArgs struct {
	Title    string   `json:"title" doc:"What is to be done." min:"1" max:"200"`
	Notes    string   `json:"notes,omitempty" doc:"More about it."`
	Priority string   `json:"priority,omitempty" enum:"low,normal,high"`
	Due      string   `json:"due,omitempty" doc:"When it is due."`
	Tags     []string `json:"tags,omitempty" max:"20"`
	Project  string   `json:"project,omitempty"`
	Estimate int      `json:"estimate,omitempty" min:"1" max:"100000"`
	Done     bool     `json:"done,omitempty"`
	Weight   float64  `json:"weight,omitempty" min:"0" max:"1"`
}

const typicalJSON = `{"title":"Write the quarterly report","notes":"Ask Ada for the figures of the second quarter","priority":"high",` +
	`"due":"2026-12-01","tags":["work","report"],"project":"finance","estimate":90,"done":false,"weight":0.75}`

// alone implements every port of an engine, as far as a tool that does nothing needs
// it.
type alone struct{ entry *engine.Entry }

// Lookup implements [engine.Catalog].
func (a alone) Lookup(string, string, string) (*engine.Entry, error) { return a.entry, nil }

// Allow implements [engine.Access].
func (alone) Allow(context.Context, *engine.Job) error { return nil }

// Earlier implements [engine.Ledger].
func (alone) Earlier(context.Context, *engine.Job) error { return nil }

// Begin implements [engine.Ledger].
func (alone) Begin(context.Context, *engine.Job) error { return nil }

// Fill implements [engine.Ports].
func (alone) Fill(*engine.Job, tool.Needs) error { return nil }

// Record implements [engine.Recorder].
func (alone) Record(*engine.Job, *engine.Outcome) {}

// testbed is a complete engine with one tool, which does nothing.
type testbed struct {
	engine *engine.Engine
	tool   *tool.Definition
}

// newTestbed returns a testbed whose calls pass policy. The tool has side effects
// unless its risk is low.
func newTestbed(policy engine.Policy, risk tool.Risk) (testbed, error) {
	noop := tool.Add(tool.NewSet("Bench", "bench"), tool.Spec[typicalArgs, map[string]bool]{
		Name: "noop", Description: "Does nothing.", Risk: risk, Mutates: risk != tool.Low, Timeout: 30 * time.Second,
		Run: func(context.Context, *tool.Call, typicalArgs) (map[string]bool, error) { return map[string]bool{}, nil },
	})
	entry, err := engine.NewEntry(noop)
	if err != nil {
		return testbed{}, err
	}
	a := alone{entry}
	e := engine.New(engine.Deps{Catalog: a, Access: a, Policy: policy, Ledger: a, Ports: a, Record: a})
	return testbed{e, &entry.Tool.Definition}, nil
}

// The caller in a testbed.
const (
	benchTenant = "default"
	benchUser   = "u1"
	benchTrace  = "0123456789abcdef0123456789abcdef"
)

// call runs one call through the engine.
func (b testbed) call(ctx context.Context, id, token string) error {
	out := b.engine.Execute(ctx, &engine.Job{
		Call: tool.Call{
			ID: id, TraceID: benchTrace, Tenant: benchTenant, User: benchUser, Agent: "a1", Conversation: "c1",
			Attempt: 1, Deadline: time.Now().Add(time.Minute),
		},
		Name: "noop", Args: json.RawMessage(typicalJSON), Token: token,
	})
	if out.Err != nil {
		return fmt.Errorf("the engine failed: %w", out.Err)
	}
	return out.Control
}

// countedCalls is the number of calls over which allocations are counted.
const countedCalls = 5000

// measureEngine times calls one after the other for the given time.
func measureEngine(ctx context.Context, length time.Duration) (EngineFigures, error) {
	bed, err := newTestbed(engine.AllowAll(), tool.Low)
	if err != nil {
		return EngineFigures{}, err
	}
	call := func(ctx context.Context) error { return bed.call(ctx, "c1", "") }
	var before, after runtime.MemStats
	for i := range 2 * countedCalls { // the first half is the warm-up
		if i == countedCalls {
			runtime.ReadMemStats(&before)
		}
		if err := call(ctx); err != nil {
			return EngineFigures{}, err
		}
	}
	runtime.ReadMemStats(&after)
	var times histogram
	for end := time.Now().Add(length); ctx.Err() == nil; {
		began := time.Now()
		if err := call(ctx); err != nil {
			return EngineFigures{}, err
		}
		now := time.Now()
		times.add(now.Sub(began))
		if now.After(end) {
			break
		}
	}
	return EngineFigures{
		P50: times.quantile(0.50), P99: times.quantile(0.99),
		Allocs: int64(after.Mallocs-before.Mallocs+countedCalls/2) / countedCalls,
	}, ctx.Err()
}
