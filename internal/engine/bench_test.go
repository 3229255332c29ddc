package engine

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

type nineArgs struct {
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

const nineJSON = `{"title":"Write the quarterly report","notes":"Ask Ada for the figures of the second quarter","priority":"high",` +
	`"due":"2026-12-01","tags":["work","report"],"project":"finance","estimate":90,"done":false,"weight":0.75}`

// BenchmarkExecute measures the engine on a call whose tool does nothing.
func BenchmarkExecute(b *testing.B) {
	noop := tool.Add(tool.NewSet("Test", "test"), tool.Spec[nineArgs, map[string]bool]{
		Name: "x", Description: "Does nothing.", Risk: tool.Low, Timeout: 30 * time.Second,
		Run: func(context.Context, *tool.Call, nineArgs) (map[string]bool, error) { return map[string]bool{}, nil },
	})
	w := holding(b, noop)
	e := New(w.deps())
	ctx := b.Context()
	args := json.RawMessage(nineJSON)
	b.ReportAllocs()
	for b.Loop() {
		j := &Job{Call: tool.Call{ID: "c1", Tenant: "default", Deadline: time.Now().Add(time.Minute)}, Name: "x", Args: args}
		if out := e.Execute(ctx, j); out.Err != nil || out.Control != nil {
			b.Fatal(out.Err, out.Control)
		}
	}
}

func TestAllocations(t *testing.T) {
	const most = 60
	w := holding(t, returning("done", nil))
	e := New(w.deps())
	got := testing.AllocsPerRun(100, func() { e.Execute(t.Context(), job(`{"path":"a"}`)) })
	if got > most {
		t.Errorf("a call costs %v allocations, want at most %d", got, most)
	}
}
