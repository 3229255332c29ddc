// Package scheduler holds the tools for a person's scheduled tasks: calls that are made at
// a time, once or repeatedly. Claim and End are the other side of them: which runs a task
// has now, and how they ended.
//
// A task with a next time always has a timer: the tools set it before their changes are
// committed, and it only has the task looked at.
package scheduler

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/timetable"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Scheduler", "scheduler")

const timeout = 30 * time.Second

// The types of a task.
const (
	typeTool   = "tool"
	typePrompt = "prompt"
)

// The policies for runs that were missed.
const (
	missedSkip = "skip"
	missedOnce = "once"
)

// stored is a task in the store.
type stored struct {
	Name        string      `json:"name" store:"search"`
	Description string      `json:"description,omitempty"`
	Schedule    string      `json:"schedule"`
	Timezone    string      `json:"timezone"`
	Type        string      `json:"type"`
	Prompt      string      `json:"prompt,omitempty"`
	ToolName    string      `json:"toolName,omitempty"`
	ToolArgs    tool.Object `json:"toolArgs,omitempty"`
	// Durable is set if the tool is a program, so that a run may wait for days.
	Durable        bool       `json:"durable,omitempty"`
	NotifyChannels []string   `json:"notifyChannels,omitempty"`
	Priority       string     `json:"priority"`
	Enabled        bool       `json:"enabled"`
	MissedRuns     string     `json:"missedRuns"`
	StartAt        *time.Time `json:"startAt,omitempty"`
	EndAt          *time.Time `json:"endAt,omitempty"`
	MaxRuns        int        `json:"maxRuns,omitempty"`
	// Agent makes the calls; it made the task.
	Agent string `json:"agent,omitempty"`
	// Anchor is the time from which intervals count.
	Anchor  time.Time  `json:"anchor"`
	NextRun *time.Time `json:"nextRun,omitempty"`
	// Runs counts those that were due.
	Runs    int   `json:"runs,omitempty"`
	History []run `json:"history,omitempty"`
}

// run is an entry of the history, the newest last.
type run struct {
	CallID      string    `json:"callId"`
	Status      string    `json:"status"`
	Due         time.Time `json:"due"`
	StartedAt   time.Time `json:"startedAt"`
	CompletedAt time.Time `json:"completedAt,omitzero"`
	Error       string    `json:"error,omitempty"`
	// Made is set once the run was returned to be made.
	Made bool `json:"made,omitempty"`
}

var tasks = tool.NewCollection[stored]("scheduled_tasks")

// task is a task as a model sees it.
type task struct {
	ID             string      `json:"id" doc:"For the taskId of other tools."`
	Name           string      `json:"name"`
	Description    string      `json:"description,omitempty"`
	Schedule       string      `json:"schedule"`
	ScheduleType   string      `json:"scheduleType" enum:"cron,interval,once"`
	Cron           string      `json:"cron,omitempty" doc:"The cron expression with 5 fields, of a task that has one."`
	Timezone       string      `json:"timezone"`
	NextRun        string      `json:"nextRun,omitempty" doc:"When it runs next, in its time zone; missing for a task that does not run again."`
	Enabled        bool        `json:"enabled"`
	TaskType       string      `json:"taskType" enum:"prompt,tool"`
	Prompt         string      `json:"prompt,omitempty"`
	ToolName       string      `json:"toolName,omitempty"`
	ToolArgs       tool.Object `json:"toolArgs,omitempty"`
	NotifyChannels []string    `json:"notifyChannels"`
	Priority       string      `json:"priority" enum:"low,normal,high,critical"`
	MissedRuns     string      `json:"missedRuns" enum:"skip,once"`
	StartAt        string      `json:"startAt,omitempty"`
	EndAt          string      `json:"endAt,omitempty"`
	MaxRuns        int         `json:"maxRuns,omitempty"`
	Runs           int         `json:"runs" doc:"How often it was due and ran."`
	LastStatus     string      `json:"lastStatus,omitempty" doc:"The status of its last run." enum:"success,error,pending,skipped"`
	CreatedAt      string      `json:"createdAt"`
	UpdatedAt      string      `json:"updatedAt"`
}

func show(r tool.Record[stored]) task {
	v := r.Value
	zone := v.zone()
	t := task{
		ID: r.ID, Name: v.Name, Description: v.Description, Schedule: v.Schedule, Timezone: v.Timezone, Enabled: v.Enabled,
		TaskType: v.Type, Prompt: v.Prompt, ToolName: v.ToolName, NotifyChannels: v.NotifyChannels, Priority: v.Priority,
		MissedRuns: v.MissedRuns, MaxRuns: v.MaxRuns, Runs: v.Runs, CreatedAt: r.CreatedAt.Format(time.RFC3339),
		UpdatedAt: r.UpdatedAt.Format(time.RFC3339),
		NextRun:   written(v.NextRun, zone), StartAt: written(v.StartAt, zone), EndAt: written(v.EndAt, zone),
	}
	if v.Type == typeTool {
		t.ToolArgs = v.ToolArgs
	}
	if t.NotifyChannels == nil {
		t.NotifyChannels = []string{}
	}
	if rule, err := timetable.Parse(v.Schedule, zone); err == nil {
		t.ScheduleType, t.Cron = string(rule.Kind), rule.Cron()
	}
	if n := len(v.History); n > 0 {
		t.LastStatus = v.History[n-1].Status
	}
	return t
}

func written(at *time.Time, zone *time.Location) string {
	if at == nil {
		return ""
	}
	return at.In(zone).Format(time.RFC3339)
}

// zone returns the time zone of a task, which was checked before it was stored.
func (v *stored) zone() *time.Location {
	zone, err := dates.ZoneOrUTC(&v.Timezone)
	if err != nil {
		return time.UTC // the zone database of this version does not have it
	}
	return zone
}

// next returns the first time after a time at which the task runs; nil if there is none.
func (v *stored) next(after time.Time) *time.Time {
	if !v.Enabled || v.MaxRuns > 0 && v.Runs >= v.MaxRuns {
		return nil
	}
	rule, err := timetable.Parse(v.Schedule, v.zone())
	if err != nil {
		return nil
	}
	if v.StartAt != nil && after.Before(*v.StartAt) {
		after = v.StartAt.Add(-1)
	}
	at := rule.Next(after, v.Anchor).UTC()
	if at.IsZero() || v.EndAt != nil && at.After(*v.EndAt) {
		return nil
	}
	return &at
}

// find returns a task by its id.
func find(ctx context.Context, call *tool.Call, id string) (tool.Record[stored], error) {
	r, err := tasks.Get(ctx, call.Store, strings.TrimSpace(id))
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return r, tool.Fail(tool.NotFound, "Scheduled task not found: %s; list_scheduled_tasks shows the tasks with their ids", id)
	}
	return r, err
}

// committed is the time after which the changes of a call are certainly committed, or
// another attempt of it has set its own timer.
const committed = time.Minute

// lookAt sets the timers for a task that is due at a time. A timer that fires before the
// changes of the call are committed finds nothing, so it is followed by a later one.
func lookAt(ctx context.Context, call *tool.Call, id string, at time.Time, more ...time.Time) error {
	later := call.Clock.Now().Add(committed)
	all := append([]time.Time{at}, more...)
	if at.Before(later) {
		all = append(all, later)
	}
	for _, at := range all {
		if err := call.Schedules.LookAt(ctx, id, at); err != nil {
			return err
		}
	}
	return nil
}

// idArgs name a task.
type idArgs struct {
	TaskID string `json:"taskId" doc:"The id of the task, as list_scheduled_tasks shows it." min:"1" max:"64"`
}
