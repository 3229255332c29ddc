package protocol

import (
	"encoding/json"
	"time"
)

// ProgramWait is one thing that a program waits for.
type ProgramWait struct {
	Kind      string     `json:"kind" enum:"call,consent,answer,sleep" doc:"call: the end of a step; consent: a person's decision about a step; answer: a person's answer; sleep: a time."`
	CallID    string     `json:"call_id,omitempty" doc:"The step, unless it is a time."`
	ConsentID string     `json:"consent_id,omitempty" doc:"The consent that the step awaits."`
	Until     *time.Time `json:"until,omitzero" doc:"The time."`
}

// The kinds of [ProgramWait].
const (
	WaitCall    = "call"
	WaitConsent = "consent"
	WaitAnswer  = "answer"
	WaitSleep   = "sleep"
)

// ProgramRun names one run of a program: what is remembered for it holds for no other run with
// the same call_id.
type ProgramRun struct {
	CallID string `json:"call_id" doc:"The call that the program is."`
	Run    string `json:"run" doc:"A hash of its code and of a secret of this run."`
}

// StateWaiting is the state of a program that waits as data.
const StateWaiting = "waiting"

// Program is a program as programs.list shows it.
type Program struct {
	CallID     string        `json:"call_id" doc:"The call that the program is."`
	State      string        `json:"state" enum:"queued,running,waiting,done" doc:"Its state."`
	Status     string        `json:"status,omitempty" enum:"success,error" doc:"How it ended."`
	ErrorType  Kind          `json:"error_type,omitempty" doc:"Why it failed."`
	Message    string        `json:"message,omitempty" doc:"The sentence with which it failed."`
	Tool       string        `json:"tool" doc:"run_program, or the durable tool."`
	User       string        `json:"user,omitempty" doc:"The person it runs for."`
	Agent      string        `json:"agent,omitempty" doc:"The agent that made the call."`
	TraceID    string        `json:"trace_id" doc:"The trace of the program and all of its steps."`
	Parent     string        `json:"parent,omitempty" doc:"The program whose step it is."`
	RerunOf    string        `json:"rerun_of,omitempty" doc:"The program that it continues, or the call that it repeats."`
	RetriedBy  string        `json:"retried_by,omitempty" doc:"The call that continues it after its failure."`
	StartedAt  time.Time     `json:"started_at" doc:"When its call was accepted."`
	EndedAt    *time.Time    `json:"ended_at,omitzero" doc:"When it ended."`
	Deadline   time.Time     `json:"deadline" doc:"When it ends in timeout."`
	Steps      int           `json:"steps" doc:"The number of steps that it has made."`
	WaitingFor []ProgramWait `json:"waiting_for,omitempty" doc:"What it waits for, in the state waiting."`
}

// Programs answers programs.list.
type Programs struct {
	Programs []Program `json:"programs" doc:"The programs, the newest first."`
	Next     string    `json:"next,omitempty" doc:"The cursor of the next page; absent on the last one."`
}

// ProgramDetail answers programs.get.
type ProgramDetail struct {
	Program

	Code string `json:"code,omitempty" doc:"Its source; of a durable tool, the code that it began with, absent before its first turn."`
	// Version and Tools are of a durable tool only.
	Version string          `json:"version,omitempty" doc:"The version of the durable tool that it began with."`
	Tools   []string        `json:"tools,omitempty" doc:"The tools that this version may call."`
	Input   json.RawMessage `json:"input,omitzero" doc:"What it was given, with secrets hidden and made safe to display."`
	Steps   []ProgramStep   `json:"steps" doc:"Its steps, in the order in which the code made them."`
	// Sleeps are absent for a program that has not slept.
	Sleeps []ProgramSleep `json:"sleeps,omitempty" doc:"The times for which the code waited, in the order in which it did."`
	Log    []ProgramLog   `json:"log" doc:"What the code logged, with secrets hidden."`
	// LogLeftOut is above 0 for a log of more than 256 KiB.
	LogLeftOut int `json:"log_left_out,omitempty" doc:"How many older lines of the log are left out, because it is long."`
}

// ProgramStep is one step of a program.
type ProgramStep struct {
	N         int        `json:"n" doc:"Its number, from 1."`
	CallID    string     `json:"call_id" doc:"Its call."`
	Tool      string     `json:"tool" doc:"The tool."`
	Line      int        `json:"line" doc:"The line of the code that made it."`
	Name      string     `json:"name,omitempty" doc:"The name of the part of the program that the line is in."`
	State     string     `json:"state" enum:"running,done" doc:"running until the program has its outcome, or has ended."`
	Status    string     `json:"status,omitempty" enum:"success,error" doc:"Its outcome; absent for a step that the program did not await."`
	ErrorType Kind       `json:"error_type,omitempty" doc:"Why it failed."`
	StartedAt time.Time  `json:"started_at" doc:"When the code made it."`
	EndedAt   *time.Time `json:"ended_at,omitzero" doc:"When the program got its outcome."`
}

// ProgramSleep is a time for which the code of a program waits.
type ProgramSleep struct {
	N         int        `json:"n" doc:"Its number, from 1."`
	Line      int        `json:"line" doc:"The line of the code that waits."`
	StartedAt time.Time  `json:"started_at" doc:"When the code began to wait, as it was stored."`
	Until     time.Time  `json:"until" doc:"The time for which it waits."`
	EndedAt   *time.Time `json:"ended_at,omitzero" doc:"When the code went on; absent while it waits, and if the program ended meanwhile."`
}

// ProgramLog is a line that the code logged.
type ProgramLog struct {
	At      time.Time `json:"at" doc:"When it was stored."`
	Level   string    `json:"level" doc:"debug, info, warn or error."`
	Message string    `json:"message" doc:"The line."`
}
