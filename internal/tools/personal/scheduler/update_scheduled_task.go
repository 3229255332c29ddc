package scheduler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/tool"
)

type updateArgs struct {
	TaskID         string    `json:"taskId" doc:"The id of the task, as list_scheduled_tasks shows it." min:"1" max:"64"`
	Name           *string   `json:"name,omitempty" doc:"The new name." min:"1" max:"200"`
	Schedule       *string   `json:"schedule,omitempty" doc:"The new schedule, as in create_scheduled_task." min:"1" max:"1000"`
	Timezone       *string   `json:"timezone,omitempty" doc:"The new IANA time zone of the schedule."`
	Enabled        *bool     `json:"enabled,omitempty" doc:"Whether it runs."`
	MissedRuns     *string   `json:"missedRuns,omitempty" doc:"What happens after an outage." enum:"skip,once"`
	NotifyChannels *[]string `json:"notifyChannels,omitempty" doc:"The new names of channels."`
	Priority       *string   `json:"priority,omitempty" doc:"The new priority." enum:"low,normal,high,critical"`
	Description    *string   `json:"description,omitempty" doc:"The new description." max:"10000"`
}

type updateResult struct {
	Success bool     `json:"success"`
	Task    task     `json:"task"`
	Changed []string `json:"changed" doc:"The parameters that changed something."`
	Message string   `json:"message"`
}

var _ = tool.Add(Set, tool.Spec[updateArgs, *updateResult]{
	Name: "update_scheduled_task",
	Description: "Change the name, schedule, time zone, priority or channels of a scheduled task, or enable or disable it, and return it " +
		"with its next run and the names of what changed.",
	Tags:          []string{"schedule update", "edit schedule"},
	Example:       `{"taskId":"k3f9q2x7m5ab","schedule":"30 8 * * mon-fri"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Idempotent:    true,
	Transactional: true,
	Needs:         tool.NeedStore | tool.NeedSchedules,
	Errors:        []tool.Kind{tool.NotFound, tool.NotConfigured},
	Timeout:       timeout,
	Run:           updateScheduledTask,
})

func updateScheduledTask(ctx context.Context, call *tool.Call, args updateArgs) (*updateResult, error) {
	r, err := find(ctx, call, args.TaskID)
	if err != nil {
		return nil, err
	}
	v := &r.Value
	changed, err := args.apply(v, call.Clock.Now().UTC())
	if err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return &updateResult{
			Success: true,
			Task:    show(r),
			Changed: []string{},
			Message: fmt.Sprintf("Scheduled task %q is like that already; nothing changed.", v.Name),
		}, nil
	}
	if v.NextRun != nil {
		if err := lookAt(ctx, call, r.ID, *v.NextRun); err != nil {
			return nil, err
		}
	}
	if r, err = tasks.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	message := fmt.Sprintf("Scheduled task updated: %q (%s).", v.Name, strings.Join(changed, ", "))
	if slices.Contains(changed, "enabled") && !v.Enabled {
		message += v.underWay()
	}
	return &updateResult{Success: true, Task: show(r), Changed: changed, Message: message}, nil
}

// apply changes what the arguments name, and returns the names of what is different then.
func (args updateArgs) apply(v *stored, now time.Time) (changed []string, err error) {
	given, timing := 0, false
	set := func(name string, to *string, from *string, times bool) {
		if to == nil {
			return
		}
		if given++; *to != *from {
			*from = *to
			changed, timing = append(changed, name), timing || times
		}
	}
	trimmed := func(text *string) *string {
		if text == nil {
			return nil
		}
		short := strings.TrimSpace(*text)
		return &short
	}
	set("name", trimmed(args.Name), &v.Name, false)
	set("schedule", trimmed(args.Schedule), &v.Schedule, true)
	set("timezone", trimmed(args.Timezone), &v.Timezone, true)
	set("missedRuns", args.MissedRuns, &v.MissedRuns, false)
	set("priority", args.Priority, &v.Priority, false)
	set("description", args.Description, &v.Description, false)
	if args.NotifyChannels != nil {
		if given++; !slices.Equal(*args.NotifyChannels, v.NotifyChannels) {
			v.NotifyChannels, changed = *args.NotifyChannels, append(changed, "notifyChannels")
		}
	}
	if args.Enabled != nil {
		if given++; *args.Enabled != v.Enabled {
			v.Enabled, changed, timing = *args.Enabled, append(changed, "enabled"), true
		}
	}
	switch {
	case given == 0:
		return nil, tool.Fail(tool.ValidationError,
			"nothing to change was given: name at least one of name, schedule, timezone, enabled, missedRuns, notifyChannels, priority, description")
	case v.Name == "":
		return nil, tool.Fail(tool.ValidationError, "name is blank")
	case !timing:
		return changed, nil
	}
	if _, err := dates.ZoneOrUTC(&v.Timezone); err != nil {
		return nil, tool.Fail(tool.ValidationError, "timezone: %s", tool.AsError(err).Msg)
	}
	if args.Schedule != nil {
		v.Anchor = now
	}
	if !v.Enabled && args.Schedule == nil && args.Timezone == nil {
		v.NextRun = nil // a task that is over may be disabled
		return changed, nil
	}
	return changed, v.plan(now)
}
