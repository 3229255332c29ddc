package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Collection is the name of the collection that holds the tasks.
func Collection() string { return tasks.Shape().Name }

// Describe returns a task as operators see it, with its history if that is set.
func Describe(person string, row tool.Row, history bool) (protocol.Schedule, error) {
	v, err := decode(row)
	if err != nil {
		return protocol.Schedule{}, err
	}
	s := protocol.Schedule{
		ID: row.ID, User: person, Agent: v.Agent, Name: v.Name, Schedule: v.Schedule, Timezone: v.Timezone, Type: v.Type, Tool: v.ToolName,
		Enabled: v.Enabled, MissedRuns: v.MissedRuns, NextRun: v.NextRun, Runs: v.Runs, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if n := len(v.History); n > 0 {
		s.LastStatus = v.History[n-1].Status
	}
	if history {
		for _, h := range v.History {
			s.History = append(s.History, protocol.ScheduleRun{
				CallID:      h.CallID,
				Status:      h.Status,
				Due:         h.Due,
				StartedAt:   h.StartedAt,
				CompletedAt: h.CompletedAt,
				Error:       h.Error,
			})
		}
	}
	return s, nil
}

// Timer returns when a task must be looked at next, or the zero time for a task that needs
// no timer: it is disabled or over, and the outcome of every run is known.
func Timer(row tool.Row, now time.Time) (time.Time, error) {
	v, err := decode(row)
	switch {
	case err != nil:
		return time.Time{}, err
	case v.waiting() > 0:
		return now, nil
	case !v.Enabled || v.NextRun == nil:
		return time.Time{}, nil
	}
	return *v.NextRun, nil
}

// Remove deletes a task; a task that is not there is no error. Its timers find nothing.
func Remove(ctx context.Context, s tool.Store, id string) error {
	r, err := tasks.Get(ctx, s, id)
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return tasks.Delete(ctx, s, r)
}

func decode(row tool.Row) (v stored, err error) {
	if err := json.Unmarshal(row.Doc, &v); err != nil {
		return v, fmt.Errorf("scheduled task %s: %w", row.ID, err)
	}
	return v, nil
}
