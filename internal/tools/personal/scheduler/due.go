package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// The statuses of runs.
const (
	success = "success"
	failed  = "error"
	pending = "pending"
	skipped = "skipped"
)

const (
	// keptRuns bounds the history of a task, and so the runs of it that have not ended.
	keptRuns = 50
	// lateAfter is the delay after which a run counts as missed, if the dispatcher was not
	// there at its time. A dispatcher that was there has a backlog, and the run is made
	// unless it is later than missedAfter.
	lateAfter   = 10 * time.Second
	missedAfter = 2 * time.Minute
	// lostAfter is the time after which the outcome of a run can no longer be found.
	lostAfter = 7 * 24 * time.Hour
	// maxError bounds the error of a run, in characters.
	maxError = 300
)

// Due is the work that a task has.
type Due struct {
	// Runs are to be made, or have not ended. A run has one call id however often it is
	// returned.
	Runs []Run
	// Wake is when the task is to be looked at again; zero for never.
	Wake time.Time
}

// Run is a call to make.
type Run struct {
	CallID    string
	Tool      string
	Arguments json.RawMessage
	Agent     string
	// Timezone is the IANA name of the task's time zone.
	Timezone string
	// Low is set for a task of low priority.
	Low          bool
	Due, Started time.Time
	// First is set the first time that the run is returned.
	First bool
}

// Claim returns the work that a task has now, and moves the task on to its next time. Since
// is when the dispatcher was able to look at tasks. A task that is not there has no work.
// The caller commits the changes of the store before it makes the runs.
func Claim(ctx context.Context, s tool.Store, id string, now, since time.Time) (Due, error) {
	r, err := tasks.Get(ctx, s, id)
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return Due{}, nil
	}
	if err != nil {
		return Due{}, err
	}
	v := &r.Value
	changed := v.settleLost(now)
	changed = v.begin(id, now, since) || changed
	var due Due
	for i := range v.History {
		h := &v.History[i]
		if h.Status != pending {
			continue
		}
		name, args, err := v.call()
		if err != nil {
			return Due{}, err
		}
		due.Runs = append(due.Runs, Run{
			CallID: h.CallID, Tool: name, Arguments: args, Agent: v.Agent, Timezone: v.Timezone,
			Low: v.Priority == "low",
			Due: h.Due, Started: h.StartedAt, First: !h.Made,
		})
		changed, h.Made = changed || !h.Made, true
	}
	if v.NextRun != nil {
		due.Wake = *v.NextRun
	}
	if !changed {
		return due, nil
	}
	_, err = tasks.Update(ctx, s, r)
	return due, err
}

// begin adds what is due to the history, and reports whether anything is.
func (v *stored) begin(id string, now, since time.Time) (changed bool) {
	for v.Enabled && v.NextRun != nil && !v.NextRun.After(now) {
		changed = true
		at := *v.NextRun
		late := now.Sub(at)
		missed := late > missedAfter || late > lateAfter && since.After(at)
		h := run{CallID: CallID(id, at), Status: pending, Due: at, StartedAt: now}
		switch {
		case missed && v.MissedRuns != missedOnce:
			h.Status, h.CompletedAt = skipped, now
			h.Error = fmt.Sprintf("nothing could run the task when it was due, and it was %s late", late.Round(time.Second))
		case v.Durable && v.waiting() > 0:
			h.Status, h.CompletedAt = skipped, now
			h.Error = fmt.Sprintf("the program of an earlier run has not ended: call %s", v.openRuns()[0])
		case v.waiting() >= keptRuns:
			h.Status, h.CompletedAt = skipped, now
			h.Error = fmt.Sprintf("%d earlier runs have not ended: they wait for a person, or still run", keptRuns)
		default:
			v.Runs++
		}
		v.add(h)
		if missed {
			at = now
		}
		v.NextRun = v.next(at)
	}
	return changed
}

// CallID returns the id of the call that a task makes when it is due at a time.
func CallID(task string, due time.Time) string { return fmt.Sprintf("s-%s-%d", task, due.Unix()) }

// settleLost ends the runs whose outcome is lost, and reports whether there are any.
func (v *stored) settleLost(now time.Time) (changed bool) {
	after := lostAfter + v.mayTake()
	for i := range v.History {
		h := &v.History[i]
		if h.Status != pending || now.Sub(h.StartedAt) <= after {
			continue
		}
		changed, h.Status, h.CompletedAt = true, failed, now
		h.Error = fmt.Sprintf("outcome_unknown: the outcome of the run was not found within %d days", after/(24*time.Hour))
	}
	return changed
}

// call returns the call of the task's runs.
func (v *stored) call() (name string, args json.RawMessage, err error) {
	if v.Type != typePrompt {
		return v.ToolName, json.RawMessage(v.ToolArgs), nil
	}
	args, err = json.Marshal(promptArgs{v.Prompt})
	return runPrompt, args, err
}

// add adds a run to the history, and removes the oldest that have ended.
func (v *stored) add(h run) {
	v.History = append(v.History, h)
	for len(v.History) > keptRuns {
		i := slices.IndexFunc(v.History, func(h run) bool { return h.Status != pending })
		if i < 0 {
			return
		}
		v.History = slices.Delete(v.History, i, i+1)
	}
}

// waiting returns the number of runs that have not ended.
func (v *stored) waiting() (n int) {
	for _, h := range v.History {
		if h.Status == pending {
			n++
		}
	}
	return n
}

// Ended is the outcome of a run.
type Ended struct {
	CallID string
	// Error is empty for a success.
	Error string
	At    time.Time
}

// End stores outcomes of runs in the history of their task. Runs that it does not know, or
// whose outcome it has, are left alone.
func End(ctx context.Context, s tool.Store, id string, ended []Ended) error {
	r, err := tasks.Get(ctx, s, id)
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	changed := false
	for _, e := range ended {
		i := slices.IndexFunc(r.Value.History, func(h run) bool { return h.CallID == e.CallID && h.Status == pending })
		if i < 0 {
			continue
		}
		h := &r.Value.History[i]
		changed, h.Status, h.CompletedAt = true, success, e.At
		if e.Error != "" {
			h.Status, h.Error = failed, textcut.Excerpt(e.Error, maxError)
		}
	}
	if !changed {
		return nil
	}
	_, err = tasks.Update(ctx, s, r)
	return err
}
