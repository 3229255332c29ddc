package scheduler

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/internal/lib/timetable"
	"github.com/helve-dev/helve/tool"
)

type createArgs struct {
	Name           string      `json:"name" doc:"A name for the task." min:"1" max:"200"`
	Schedule       string      `json:"schedule" doc:"When it runs: a cron expression of 5 fields (\"0 9 * * mon-fri\", \"@daily\"), an interval (\"every 15 minutes\"), or one time (\"2026-11-24T09:00\")." min:"1" max:"1000"`
	TaskType       string      `json:"taskType,omitempty" doc:"What runs: a tool with arguments, or a prompt for the configured model. Follows from toolName or prompt if it is left out." enum:"prompt,tool"`
	Prompt         string      `json:"prompt,omitempty" doc:"The text for the model, of a task of type prompt." max:"100000"`
	ToolName       string      `json:"toolName,omitempty" doc:"The tool to call, of a task of type tool; batch_use_tool for several."`
	ToolArgs       tool.Object `json:"toolArgs,omitempty" doc:"The arguments of the tool."`
	Timezone       string      `json:"timezone,omitempty" doc:"The IANA time zone of the schedule, such as Europe/Berlin; UTC if it is left out."`
	MissedRuns     string      `json:"missedRuns,omitempty" doc:"What happens after an outage: skip leaves out what was missed, once makes one run for it. skip if it is left out." enum:"skip,once"`
	StartAt        string      `json:"startAt,omitempty" doc:"The task does not run before this time."`
	EndAt          string      `json:"endAt,omitempty" doc:"The task does not run after this time."`
	MaxRuns        int         `json:"maxRuns,omitempty" doc:"The most runs of the task; any number if it is left out." min:"0" max:"1000000"`
	NotifyChannels []string    `json:"notifyChannels,omitempty" doc:"Names of channels, kept with the task for programs that announce its results."`
	Priority       string      `json:"priority,omitempty" doc:"How urgent its runs are; low ones wait for others. normal if it is left out." enum:"low,normal,high,critical"`
	Description    string      `json:"description,omitempty" doc:"What the task is for." max:"10000"`
	Enabled        *bool       `json:"enabled,omitempty" doc:"Whether it runs; true if it is left out."`
}

// one is the result of a tool that changes a task.
type one struct {
	Success bool   `json:"success"`
	Task    task   `json:"task"`
	Message string `json:"message"`
}

var _ = tool.Add(Set, tool.Spec[createArgs, *one]{
	Name: "create_scheduled_task",
	Description: "Schedule a tool call for the person, at one time or repeatedly by a cron expression or an interval, and return the task " +
		"with its id and its next run; each run is a call in the person's name, which asks the person where the tool requires it.",
	Tags:          []string{"schedule", "cron", "automation", "timer", "automatic", "recurring", "reminder"},
	Example:       `{"name":"Open tasks","schedule":"0 9 * * mon-fri","timezone":"Europe/Berlin","toolName":"list_tasks","toolArgs":{"status":"pending"}}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore | tool.NeedSchedules,
	Errors:        []tool.Kind{tool.NotConfigured},
	Timeout:       timeout,
	Run:           createScheduledTask,
})

func createScheduledTask(ctx context.Context, call *tool.Call, args createArgs) (*one, error) {
	v, err := args.new(ctx, call)
	if err != nil {
		return nil, err
	}
	if args.Timezone == "" && !strings.HasPrefix(strings.ToLower(v.Schedule), "every") {
		call.Note("the times of the schedule are in UTC, because timezone was not given")
	}
	if v.Type == typePrompt {
		call.Note("its runs send the prompt to the model of the service %q, and end with not_configured where there is none", openai.Service)
	}
	if v.Durable {
		call.Note("its runs are programs; when it is due while an earlier one has not ended, it is skipped")
	}
	r, err := tasks.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	message := fmt.Sprintf("Scheduled %q, disabled.", v.Name)
	if v.NextRun != nil {
		if err := lookAt(ctx, call, r.ID, *v.NextRun); err != nil {
			return nil, err
		}
		message = fmt.Sprintf("Scheduled %q; it runs first at %s.", v.Name, written(v.NextRun, v.zone()))
	}
	return &one{Success: true, Task: show(r), Message: message}, nil
}

// new returns the task to store, or what is wrong with the arguments.
func (args createArgs) new(ctx context.Context, call *tool.Call) (stored, error) {
	now := call.Clock.Now().UTC()
	v := stored{
		Name: strings.TrimSpace(args.Name), Description: args.Description, Schedule: strings.TrimSpace(args.Schedule),
		Timezone: cmp.Or(strings.TrimSpace(args.Timezone), "UTC"), Type: args.TaskType, Prompt: args.Prompt,
		ToolName: strings.TrimSpace(args.ToolName), NotifyChannels: args.NotifyChannels, Priority: cmp.Or(args.Priority, "normal"),
		Enabled: args.Enabled == nil || *args.Enabled, MissedRuns: cmp.Or(args.MissedRuns, missedSkip), MaxRuns: args.MaxRuns,
		Agent: call.Agent, Anchor: now,
	}
	if v.Name == "" {
		return v, tool.Fail(tool.ValidationError, "name is missing or blank")
	}
	if err := v.work(ctx, call, args.ToolArgs); err != nil {
		return v, err
	}
	zone, err := dates.ZoneOrUTC(&v.Timezone)
	if err != nil {
		return v, tool.Fail(tool.ValidationError, "timezone: %s", tool.AsError(err).Msg)
	}
	for _, bound := range []struct {
		name, text string
		at         **time.Time
	}{{"startAt", args.StartAt, &v.StartAt}, {"endAt", args.EndAt, &v.EndAt}} {
		if bound.text == "" {
			continue
		}
		at, err := timetable.ParseTime(strings.TrimSpace(bound.text), zone)
		if err != nil {
			return v, tool.Fail(tool.ValidationError, "%s: %s", bound.name, err)
		}
		at = at.UTC()
		*bound.at = &at
	}
	if v.StartAt != nil && v.StartAt.After(now) {
		v.Anchor = *v.StartAt
	}
	return v, v.plan(now)
}

// work sets what the task runs.
func (v *stored) work(ctx context.Context, call *tool.Call, args tool.Object) error {
	if v.Type == "" {
		v.Type = typeTool
		if v.ToolName == "" && strings.TrimSpace(v.Prompt) != "" {
			v.Type = typePrompt
		}
	}
	if v.Type == typePrompt {
		switch {
		case strings.TrimSpace(v.Prompt) == "":
			return tool.Fail(tool.ValidationError, "prompt is missing: a task of type prompt needs the text for the model")
		case v.ToolName != "":
			return tool.Fail(tool.ValidationError, "a task of type prompt has no toolName; leave one of prompt and toolName out")
		}
		name, given, err := v.call()
		if err != nil {
			return err
		}
		_, err = call.Schedules.Check(ctx, name, given)
		if e := tool.AsError(err); e != nil && (e.Kind == tool.ToolNotFound || e.Kind == tool.ValidationError) {
			return tool.Fail(tool.ValidationError, "prompt: %s", e.Msg)
		}
		return err
	}
	switch {
	case v.ToolName == "":
		return tool.Fail(tool.ValidationError, "toolName is missing: name the tool that the task calls, or give a prompt")
	case v.Prompt != "":
		return tool.Fail(tool.ValidationError, "a task of type tool has no prompt; leave one of prompt and toolName out")
	}
	if len(args) == 0 {
		args = tool.Object("{}")
	}
	def, err := call.Schedules.Check(ctx, v.ToolName, []byte(args))
	if e := tool.AsError(err); e != nil {
		if e.Kind == tool.ToolNotFound || e.Kind == tool.ValidationError {
			return tool.Fail(tool.ValidationError, "toolName and toolArgs: %s", e.Msg)
		}
		return e
	}
	if def.Category == "Scheduler" && def.Mutates {
		return tool.Fail(tool.ValidationError, "a task cannot call %s: tasks that make or start tasks could grow without end", def.Name)
	}
	v.ToolName, v.ToolArgs, v.Durable = def.Name, args, def.Durable
	return nil
}

// plan sets the next run. The error is that of a schedule that is not understood, or never
// due.
func (v *stored) plan(now time.Time) error {
	rule, err := timetable.Parse(v.Schedule, v.zone())
	if err != nil {
		return tool.Fail(tool.ValidationError, "schedule: %s", err)
	}
	enabled := v.Enabled
	v.Enabled = true
	v.NextRun = v.next(now)
	v.Enabled = enabled
	switch {
	case v.NextRun != nil:
	case rule.Kind == timetable.KindOnce && rule.Next(time.Time{}, v.Anchor).Before(now.Add(1)):
		return tool.Fail(tool.ValidationError, "schedule: %s is in the past; it is %s now", v.Schedule, now.In(v.zone()).Format(time.RFC3339))
	case v.MaxRuns > 0 && v.Runs >= v.MaxRuns:
		return tool.Fail(tool.ValidationError, "maxRuns: the task has run %d times, and may run %d times", v.Runs, v.MaxRuns)
	default:
		return tool.Fail(tool.ValidationError,
			"schedule: %q is never due, in the time that the task may run; correct the schedule, startAt or endAt", v.Schedule)
	}
	if !enabled {
		v.NextRun = nil
	}
	return nil
}
