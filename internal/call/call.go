package call

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/protocol"
)

// Call is a call on its way to a worker.
type Call struct {
	ID           string `json:"call_id" doc:"Names the call in its tenant: 1 to 128 letters, digits, _ and -. A call that a tool or a program made has that of the outer one with ~ and a number."`
	ToolCallID   string `json:"tool_call_id,omitempty" doc:"The model provider's own id of the call, echoed untouched."`
	TraceID      string `json:"trace_id" doc:"The trace of the request, a W3C trace id."`
	Tool         string `json:"tool" doc:"The name of the tool, which may hold dots."`
	Origin       string `json:"origin" doc:"The dispatcher that accepted the call."`
	User         string `json:"user,omitempty" doc:"The person on whose behalf the call is made."`
	Agent        string `json:"agent,omitempty" doc:"The agent that made the call."`
	Conversation string `json:"conversation,omitempty" doc:"The conversation the call belongs to."`
	Toolset      string `json:"toolset,omitempty" doc:"The tool set that the request named: its other tools were refused before."`
	Timezone     string `json:"timezone,omitempty" doc:"The IANA name of the person's time zone; UTC if it is absent."`
	ConfirmToken string `json:"confirm_token,omitempty" doc:"The token that approves the call ahead of time."`
	// Arguments are the bytes as the caller sent them; empty means none. Large arguments
	// are in the object store instead, under ArgumentsRef.
	Arguments    jsontext.Value `json:"arguments,omitzero" doc:"The arguments as the caller sent them; absent where there are none, or where they lie elsewhere."`
	ArgumentsRef string         `json:"arguments_ref,omitempty" doc:"The arguments' name in the object store HELVE_CALLS, where they are too large for a message."`
	// Times are unix milliseconds; 0 means none.
	AcceptedMS int64 `json:"accepted_ms" doc:"When it was accepted, in Unix milliseconds, as all times of this message."`
	// DeadlineMS is the time until which the call must have its result; StartByMS the time
	// until which it must have started.
	DeadlineMS int64 `json:"deadline_ms,omitzero" doc:"When it must have answered."`
	StartByMS  int64 `json:"start_by_ms" doc:"When it must have left the queue."`
	TimeoutMS  int64 `json:"timeout_ms,omitzero" doc:"How long the tool may run; absent means its own time."`
	// Copy marks a copy that was published because it was unknown whether the first one
	// was stored: look for an earlier attempt before running it.
	Copy bool `json:"again,omitzero" doc:"A copy, published because nobody knew whether the first one was."`
	// Via is the door through which the call came to the dispatcher, in the terms of rules;
	// empty is a direct call.
	Via string `json:"via,omitempty" doc:"The way the call came to its dispatcher, as rules know it, such as mcp; directly where it is not there."`
	// ConsentID names the consent that released a parked call.
	ConsentID string `json:"consent_id,omitempty" doc:"The consent that let a parked call go on."`
	// Connected is the consent by which the call last waited for an account, and Connects
	// counts those that its person then connected.
	Connected string `json:"connected,omitempty" doc:"The consent that the call went on with because its person had connected an account."`
	Connects  int    `json:"connects,omitzero" doc:"How often the call waited for an account that its person then connected."`

	// Waits is set if the call is to wait for a worker that has its tool, should there be
	// none.
	Waits bool `json:"waits,omitzero" doc:"It waits for a worker that has its tool, where none does."`
	// RerunOf is the call that this one repeats, for its records.
	RerunOf string `json:"rerun_of,omitempty" doc:"The ended call that this one repeats as a new call."`
	// Priority is [protocol.PriorityBatch] for a call that may wait behind others; empty is
	// interactive.
	Priority string `json:"priority,omitempty" doc:"batch for a call that may wait behind others while workers are short."`
	// Home is the worker that the call's person is bound to, if the lane is one of that
	// worker alone. Rehomed is set if files of another worker may be missing there.
	Home    string `json:"home,omitempty" doc:"The worker that the call's user is bound to (worker.affinity)."`
	Rehomed bool   `json:"rehomed,omitzero" doc:"True if the user was on a worker with other workspaces before."`
	// Attempts is the number of attempts made on earlier copies of this message, and Moves
	// how often a worker moved the call to another lane.
	Attempts int `json:"attempts,omitzero" doc:"How many attempts were made on earlier copies of this message."`
	Moves    int `json:"moves,omitzero" doc:"How often the call was moved to another lane of its pool."`
	// Parent is the program whose step the call is, empty for none; Line is the line of its
	// code that made the call, and Step the name of the part that the line is in.
	Parent string `json:"parent,omitempty" doc:"The call of the program whose step this is."`
	Line   int    `json:"line,omitzero" doc:"The line of the program's code that made the call."`
	Step   string `json:"step,omitempty" doc:"The name that the program gave to this part of it."`
	// Runs has the runs of the programs around a step, as [Runs] writes them: what a person allowed
	// for the rest of one of them covers the step.
	Runs string `json:"runs,omitempty" doc:"The programs around the step, the innermost first, each as its call, a colon and a hash of this run of it, with spaces between them."`
	// Program is the key of the program that the call is, which only its dispatchers and the
	// worker that runs it know; Wake counts how often it was queued again after it had waited.
	Program string `json:"program,omitempty" doc:"The key of the program that the call is, with which a worker asks for its journal."`
	Wake    int    `json:"wake,omitzero" doc:"How often the program was queued again after it had waited."`
	// Grouped means that the result may be stored in a group: the dispatcher reads groups.
	Grouped bool `json:"grouped,omitzero" doc:"The dispatcher reads groups: the result may be stored in one message with others."`

	// Tenant, Pool, Lane and Traceparent are sent in the subject and in a header.
	Tenant      string `json:"-"`
	Pool        string `json:"-"`
	Lane        string `json:"-"`
	Traceparent string `json:"-"`
}

// Accepted returns the time at which a dispatcher accepted the call.
func (c *Call) Accepted() time.Time { return millis(c.AcceptedMS) }

// Deadline returns the time until which the call must have its result; zero means never.
func (c *Call) Deadline() time.Time { return millis(c.DeadlineMS) }

// StartBy returns the time until which the call must have started.
func (c *Call) StartBy() time.Time { return millis(c.StartByMS) }

// Timeout returns how long the tool may run; 0 means the tool's own time.
func (c *Call) Timeout() time.Duration { return time.Duration(c.TimeoutMS) * time.Millisecond }

// Owner returns the person for whom the call was made.
func (c *Call) Owner() *protocol.Owner { return &protocol.Owner{User: c.User, Agent: c.Agent} }

func millis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
