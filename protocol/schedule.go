package protocol

import "time"

// Schedule is a scheduled task of a person. It holds neither the arguments of its calls
// nor its prompt; get_task_history and list_scheduled_tasks show those to the person.
type Schedule struct {
	ID         string        `json:"id" doc:"Its id, unique per person."`
	User       string        `json:"user" doc:"The person whose task it is; _ for tasks made by calls without a user."`
	Agent      string        `json:"agent,omitempty" doc:"The agent that makes its calls, which is the agent that created the task."`
	Name       string        `json:"name" doc:"The name that the person gave it."`
	Schedule   string        `json:"schedule" doc:"When it runs: a cron expression, an interval or one time."`
	Timezone   string        `json:"timezone" doc:"The IANA time zone of the schedule."`
	Type       string        `json:"type" doc:"tool or prompt."`
	Tool       string        `json:"tool,omitempty" doc:"The tool that it calls; absent for a task of type prompt."`
	Enabled    bool          `json:"enabled" doc:"true if it runs."`
	MissedRuns string        `json:"missed_runs" doc:"What happens after an outage: skip or once."`
	NextRun    *time.Time    `json:"next_run,omitempty" doc:"The time of its next run; absent if there is none."`
	Runs       int           `json:"runs" doc:"How often it was due and ran."`
	LastStatus string        `json:"last_status,omitempty" doc:"The status of its last run: success, error, pending or skipped."`
	CreatedAt  time.Time     `json:"created_at" doc:"The time it was created."`
	UpdatedAt  time.Time     `json:"updated_at" doc:"The time of its last change, which may be that of a run."`
	History    []ScheduleRun `json:"history,omitempty" doc:"Its last 50 runs, the oldest first; only if one task was requested."`
}

// ScheduleRun is a run of a scheduled task.
type ScheduleRun struct {
	CallID      string    `json:"call_id" doc:"The call that it made."`
	Status      string    `json:"status" doc:"success, error, pending or skipped."`
	Due         time.Time `json:"due" doc:"The time at which it was due."`
	StartedAt   time.Time `json:"started_at" doc:"The time at which it was made."`
	CompletedAt time.Time `json:"completed_at,omitzero" doc:"The time at which its outcome was known."`
	Error       string    `json:"error,omitempty" doc:"The reason of a status other than success."`
}

// ScheduleList answers schedules.list.
type ScheduleList struct {
	Schedules []Schedule `json:"schedules" doc:"The tasks, by person and id."`
	Next      string     `json:"next,omitempty" doc:"The cursor of the next page; absent on the last one."`
}
