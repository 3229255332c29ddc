package scheduler

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCreateScheduledTask(t *testing.T) {
	call := ann(t)
	got := play[one](t, call, "create_scheduled_task",
		`{"name":" Morning note ","schedule":"0 9 * * MON-FRI","timezone":"Europe/Berlin","toolName":"add_note","toolArgs":{"title":"x","n":1.50},
		"notifyChannels":["mail"],"priority":"high","description":"why","missedRuns":"once","maxRuns":3,"endAt":"2027-01-01"}`)
	want := one{Success: true, Message: `Scheduled "Morning note"; it runs first at 2026-11-24T09:00:00+01:00.`, Task: task{
		Name: "Morning note", Schedule: "0 9 * * MON-FRI", ScheduleType: "cron", Cron: "0 9 * * mon-fri", Timezone: "Europe/Berlin",
		NextRun: "2026-11-24T09:00:00+01:00", Enabled: true, TaskType: "tool", ToolName: "add_note",
		ToolArgs: tool.Object(`{"title":"x","n":1.50}`), NotifyChannels: []string{"mail"}, Priority: "high", Description: "why",
		MissedRuns: "once", MaxRuns: 3, EndAt: "2027-01-01T00:00:00+01:00",
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(task{}, "ID", "CreatedAt", "UpdatedAt")); diff != "" || got.Task.ID == "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all := looks(call); !slices.Equal(all, []time.Duration{24 * time.Hour}) {
		t.Errorf("it is looked at after %v, want 24 hours", all)
	}
}

// TestNextRuns: what follows from schedule, bounds and zone.
func TestNextRuns(t *testing.T) {
	for args, want := range map[string]string{
		`"schedule":"@daily"`:                                         "2026-11-24T00:00:00Z",
		`"schedule":"every 90 minutes"`:                               "2026-11-23T09:30:00Z",
		`"schedule":"every 90 minutes","startAt":"2026-11-23T12:00"`:  "2026-11-23T12:00:00Z",
		`"schedule":"0 9 * * *","startAt":"2026-12-01"`:               "2026-12-01T09:00:00Z",
		`"schedule":"0 9 * * *","startAt":"2026-11-24T09:00Z"`:        "2026-11-24T09:00:00Z",
		`"schedule":"2026-11-23T09:00","timezone":"America/New_York"`: "2026-11-23T09:00:00-05:00",
		`"schedule":"2027-03-28T02:30","timezone":"Europe/Berlin"`:    "2027-03-28T03:30:00+02:00",
		`"schedule":"@daily","enabled":false`:                         "",
		`"schedule":"@daily","timezone":"UTC"`:                        "2026-11-24T00:00:00Z",
	} {
		got := play[one](t, ann(t), "create_scheduled_task", `{"name":"x","toolName":"add_note","toolArgs":{"title":"x"},`+args+`}`)
		if got.Task.NextRun != want || got.Task.Enabled == strings.Contains(args, "enabled") {
			t.Errorf("%s: next run %q, want %q; %+v", args, got.Task.NextRun, want, got)
		}
	}
}

func TestCreateScheduledTaskRefuses(t *testing.T) {
	call := ann(t)
	var cases []tooltest.Case
	for args, message := range map[string]string{
		`"schedule":"* * * * * *"`:                                                "each minute at most",
		`"schedule":"every 10 seconds"`:                                           "each minute at most",
		`"schedule":"0 0 31 2 *"`:                                                 "is never due",
		`"schedule":"0 25 * * *"`:                                                 "schedule: hour",
		`"schedule":"2026-11-23T07:59Z"`:                                          "is in the past; it is 2026-11-23T08:00:00Z now",
		`"schedule":"@daily","endAt":"2026-11-23T12:00"`:                          "is never due",
		`"schedule":"2026-11-24T09:00","startAt":"2026-11-25"`:                    "is never due",
		`"schedule":"@daily","endAt":"soon"`:                                      "endAt: ",
		`"schedule":"@daily","timezone":"Mars/Olympus"`:                           "timezone: Invalid timezone",
		`"schedule":"@daily","missedRuns":"all"`:                                  "missedRuns",
		`"schedule":"@daily","maxRuns":-1`:                                        "maxRuns",
		`"schedule":"@daily","taskType":"prompt"`:                                 "prompt is missing",
		`"schedule":"@daily","taskType":"shell"`:                                  "taskType",
		`"schedule":"@daily","prompt":"hi"`:                                       "a task of type tool has no prompt",
		`"schedule":"@daily","name":"  "`:                                         "name is missing or blank",
		`"schedule":""`:                                                           "schedule",
		`"schedule":"@daily","toolName":"no_such"`:                                "toolName and toolArgs: Tool 'no_such' not found",
		`"schedule":"@daily","toolArgs":{"title":1}`:                              "toolName and toolArgs: ",
		`"schedule":"@daily","toolName":"trigger_task","toolArgs":{"taskId":"x"}`: "a task cannot call trigger_task",
	} {
		whole := "{" + args
		for name, value := range map[string]string{"name": `"x"`, "toolName": `"add_note"`, "toolArgs": `{"title":"x"}`} {
			if strings.Contains(args, `"taskType":"prompt"`) && name != "name" {
				continue
			}
			if !strings.Contains(args, `"`+name+`":`) {
				whole += `,"` + name + `":` + value
			}
		}
		cases = append(cases, tooltest.Case{Name: args, Args: whole + "}", Fails: tool.ValidationError, Message: message})
	}
	cases = append(cases, tooltest.Case{
		Name:    "nothing to do",
		Args:    `{"name":"x","schedule":"@daily"}`,
		Fails:   tool.ValidationError,
		Message: "toolName is missing",
	})
	tooltest.Run(t, Set, "create_scheduled_task", call, cases)
	if got := play[listResult](t, call, "list_scheduled_tasks", `{"includeDisabled":true,"limit":5,"offset":0}`).Total; got != 0 {
		t.Errorf("%d tasks are stored, want none", got)
	}
}

// TestPromptTask: a run of a prompt is a call of run_prompt.
func TestPromptTask(t *testing.T) {
	call := ann(t)
	made := play[one](t, call, "create_scheduled_task", `{"name":"x","schedule":"@hourly","prompt":"Say \"hello\""}`)
	if made.Task.TaskType != "prompt" || made.Task.Prompt != `Say "hello"` {
		t.Errorf("task %+v", made.Task)
	}
	due := claimed(t, call, made.Task.ID, monday.Add(time.Hour), monday)
	if len(due.Runs) != 1 || due.Runs[0].Tool != runPrompt || string(due.Runs[0].Arguments) != `{"prompt":"Say \"hello\""}` ||
		due.Runs[0].Agent != "helper" {
		t.Errorf("due %+v", due)
	}
	call.Schedules = &tooltest.Schedules{Sets: []*tool.Set{others()}}
	tooltest.Run(t, Set, "create_scheduled_task", call, []tooltest.Case{{
		Name: "agent without the tool", Args: `{"name":"x","schedule":"@hourly","prompt":"Say hello"}`, Fails: tool.ValidationError,
		Message: "prompt: Tool 'run_prompt' not found",
	}})
}

// TestTimersOutliveTheCommit: a timer that may fire before the task is committed is
// followed by another.
func TestTimersOutliveTheCommit(t *testing.T) {
	call := ann(t)
	play[one](t, call, "create_scheduled_task",
		`{"name":"x","schedule":"2026-11-23T08:00:05Z","toolName":"add_note","toolArgs":{"title":"x"}}`)
	if all := looks(call); !slices.Equal(all, []time.Duration{5 * time.Second, time.Minute}) {
		t.Errorf("looked at after %v, want 5s and 1m", all)
	}
}
