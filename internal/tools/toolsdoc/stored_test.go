package toolsdoc

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/toolbox/dynamic"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// compiler replaces the sandbox: it compiles code as the sandbox does, and runs none.
type compiler struct{}

func (compiler) Reserve(context.Context, string, string, int) (*sandbox.Slot, error) {
	return &sandbox.Slot{}, nil
}

func (compiler) Run(_ context.Context, j sandbox.Job) (json.RawMessage, error) {
	if !j.CompileOnly {
		return nil, tool.Fail(tool.Unsupported, "The world of the examples runs no scripts.")
	}
	_, err := js.CompileBody(j.Name, j.Code)
	return json.RawMessage("null"), err
}

// made holds the custom tools of every tenant.
func made() []tool.CustomTool {
	return []tool.CustomTool{
		{
			Name: "add_tax", Description: "Add a tax to a price; returns the total.", Category: "Money",
			Parameters: json.RawMessage(
				`{"type":"object","properties":{"price":{"type":"number"},"percent":{"type":"number"}},"required":["price","percent"]}`,
			),
			Code: "return Math.round(args.price * (100 + args.percent)) / 100",
		},
		{
			Name: "service_status", Description: "Ask the status page of our service; returns what it says.", Category: "Operations",
			Parameters: json.RawMessage(`{"type":"object","properties":{}}`), Permissions: []string{permission.Network},
			Hosts: []string{"status.example.com"},
			Code:  "const answer = await fetch('https://status.example.com/now');\nreturn await answer.json();",
		},
	}
}

// custom returns the registry of a worker that has just started. It does not watch the
// bucket, since no other process creates tools and the test could not wait for late
// updates.
func (s *stage) custom(ctx context.Context) tool.CustomTools {
	s.Helper()
	bucket, err := s.queue().Conn.Bucket(ctx, streams.BucketCustom)
	r := dynamic.New(dynamic.Options{
		Bucket: must(s, bucket, err), Exists: func(err error) bool { return errors.Is(err, natsio.ErrExists) }, Runner: compiler{},
		Taken: func(_, name string) bool { return s.tools[name] != nil }, Log: zap.NewNop(), Now: func() time.Time { return fixed },
	})
	for _, t := range made() {
		_, err := r.Create(ctx, &tool.Call{Tenant: s.tenant, User: person}, t)
		must(s, r, err)
	}
	return r
}

// The result of a coding agent, and its id.
const (
	resultID      = "0199a3f0c8d2-5f1b7c9e2a40"
	resultSummary = `{"id":"` + resultID + `","provider":"claude-code","prompt":"Add a section on installation to docs/readme.md.",
		"state":"completed","success":true,"durationMs":41730,"costUsd":0.0874,"exitCode":0,"createdAt":"2026-01-01T08:58:10Z"`
	resultRest = `,"cwd":".","model":null,"output":"I added the section Installation to docs/readme.md.","error":null,"mode":"pty","truncated":false}`
)

// sessions stores the results of a person's coding agent.
func (s *stage) sessions(ctx context.Context, db *store.Store) {
	s.Helper()
	items := []*store.Item{
		{Collection: "coding_results", Row: tool.Row{ID: resultID, CreatedAt: fixed, Doc: json.RawMessage(resultSummary + resultRest)}},
		{Collection: "coding_summaries", Row: tool.Row{ID: resultID, CreatedAt: fixed, Doc: json.RawMessage(resultSummary + "}")}},
	}
	_, err := db.Import(ctx, s.tenant, person, items, false)
	must(s, db, err)
}
