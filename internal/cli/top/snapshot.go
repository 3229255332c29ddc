package top

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/helve-dev/helve/client"
)

// Source is the system that is shown.
type Source interface {
	Pools(ctx context.Context) ([]client.Pool, error)
	BriefWorkers(ctx context.Context) ([]client.Worker, error)
	Calls(ctx context.Context, f client.CallFilter) (client.CallList, error)
	Programs(ctx context.Context, f client.ProgramFilter) (client.Programs, error)
	Cancel(ctx context.Context, callID string) (client.Result, error)
}

// Snapshot is the state of a system at one time. Its JSON is stable: fields may be added.
type Snapshot struct {
	At      time.Time       `json:"at"`
	Pools   []client.Pool   `json:"pools"`
	Workers []client.Worker `json:"workers"`
	// Tools are the tools of the calls that ended in the last minute, of the last [doneMost]
	// calls if there were more. ToolsSeconds is the time that these calls span.
	Tools        []Tool  `json:"tools"`
	ToolsSeconds float64 `json:"tools_seconds"`
	// Calls are the calls without a result that wait or run, Consents those that await a
	// person; at most [pendingMost] together.
	Calls    []client.CallSummary `json:"calls"`
	Consents []client.CallSummary `json:"consents"`
	// Programs are the programs that have not ended; absent if the server does not list them.
	Programs *Programs `json:"programs,omitzero"`
}

// Programs counts the programs that have not ended, the newest [programsMost] of them, by their
// state.
type Programs struct {
	Queued  int `json:"queued"`
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	// Decisions is the number of waiting programs that need a person's decision or answer.
	Decisions int `json:"decisions"`
	// More is set if there are more programs than are counted.
	More bool `json:"more,omitzero"`
}

// Tool summarizes the calls of a tool that ended lately.
type Tool struct {
	Tool   string `json:"tool"`
	Calls  int    `json:"calls"`
	Errors int    `json:"errors"`
	// PerMinute is the rate of the calls, by the time that they span.
	PerMinute float64 `json:"per_minute"`
	// MedianMS and MaxMS are durations in milliseconds.
	MedianMS float64 `json:"median_ms"`
	MaxMS    float64 `json:"max_ms"`
}

const (
	doneMost    = 1000
	pendingMost = 500
	// programsMost is the largest page of programs.
	programsMost = 200
	doneSince    = time.Minute
)

// Take reads the state of a system.
func Take(ctx context.Context, from Source) (Snapshot, error) {
	now := time.Now().UTC()
	pools, err1 := from.Pools(ctx)
	workers, err2 := from.BriefWorkers(ctx)
	pending, err3 := from.Calls(ctx, client.CallFilter{Status: "pending", Limit: pendingMost})
	done, err4 := from.Calls(ctx, client.CallFilter{State: "done", From: now.Add(-doneSince), Limit: doneMost})
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return Snapshot{}, errors.Join(err)
	}
	programs, err5 := from.Programs(ctx, client.ProgramFilter{Status: "pending", Limit: programsMost})
	span := spanOf(done, now)
	s := Snapshot{
		At:           now,
		Pools:        pools,
		Workers:      workers,
		Tools:        toolsOf(done.Calls, span),
		ToolsSeconds: span.Seconds(),
		Calls:        []client.CallSummary{},
		Consents:     []client.CallSummary{},
	}
	if err5 == nil { // a server without programs, or a caller who may not list them, is no lost connection
		s.Programs = programsOf(programs)
	}
	for _, c := range pending.Calls {
		if c.State == "awaiting_consent" {
			s.Consents = append(s.Consents, c)
		} else {
			s.Calls = append(s.Calls, c)
		}
	}
	return s, nil
}

// programsOf counts programs by their state.
func programsOf(page client.Programs) *Programs {
	n := &Programs{More: page.Next != ""}
	for i := range page.Programs {
		switch p := &page.Programs[i]; p.State {
		case "queued":
			n.Queued++
		case "running":
			n.Running++
		case "waiting":
			n.Waiting++
			if slices.ContainsFunc(p.WaitingFor, func(w client.ProgramWait) bool { return w.ConsentID != "" }) {
				n.Decisions++
			}
		}
	}
	return n
}

// spanOf returns the time that a list of the calls since [doneSince] spans: if it is cut off,
// the time since the end of its oldest call.
func spanOf(done client.CallList, now time.Time) time.Duration {
	if done.Next == "" {
		return doneSince
	}
	oldest := now
	for _, c := range done.Calls {
		if c.EndedAt != nil && c.EndedAt.Before(oldest) {
			oldest = *c.EndedAt
		}
	}
	return min(max(now.Sub(oldest), time.Second), doneSince)
}

// toolsOf summarizes calls that ended within a span, by tool.
func toolsOf(calls []client.CallSummary, span time.Duration) []Tool {
	took, errs := map[string][]float64{}, map[string]int{}
	for _, c := range calls {
		took[c.Tool] = append(took[c.Tool], c.DurationMS)
		if c.Status == "error" {
			errs[c.Tool]++
		}
	}
	tools := make([]Tool, 0, len(took))
	for name, all := range took {
		slices.Sort(all)
		tools = append(tools, Tool{name, len(all), errs[name], float64(len(all)) / span.Minutes(), all[len(all)/2], all[len(all)-1]})
	}
	slices.SortFunc(tools, func(a, b Tool) int { return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Tool, b.Tool)) })
	return tools
}
