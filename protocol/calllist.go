package protocol

import "time"

// CallList answers calls.list.
type CallList struct {
	Calls []CallSummary `json:"calls" doc:"The calls in the order of their acceptance, the newest first, whatever their state."`
	Next  string        `json:"next,omitempty" doc:"The cursor of the next page; absent on the last."`
}

// CallSummary is a call in a list, without its arguments and result.
type CallSummary struct {
	CallID       string     `json:"call_id" doc:"The call."`
	TraceID      string     `json:"trace_id,omitempty" doc:"Its trace."`
	Tool         string     `json:"tool" doc:"The tool."`
	ToolVersion  string     `json:"tool_version,omitempty" doc:"The version of its definition: as it ran, and of a call that is not done as the catalogue has it."`
	State        string     `json:"state" enum:"queued,running,awaiting_consent,waiting,done" doc:"The state of the call."`
	Status       string     `json:"status" enum:"success,error,pending" doc:"Its outcome; pending without a result."`
	ErrorType    string     `json:"error_type,omitempty" doc:"Why it failed."`
	Summary      string     `json:"summary,omitempty" doc:"A sentence about the result, never a part of it; of a failed call why it failed, without its arguments, at most 200 characters."`
	User         string     `json:"user,omitempty" doc:"The person."`
	Agent        string     `json:"agent,omitempty" doc:"The agent."`
	Conversation string     `json:"conversation,omitempty" doc:"The conversation."`
	Pool         string     `json:"pool,omitempty" doc:"The pool whose workers run the tool."`
	Worker       string     `json:"worker,omitempty" doc:"The worker that runs or ran it."`
	Attempt      int        `json:"attempt,omitzero" doc:"The number of the attempt, from 1."`
	ConsentID    string     `json:"consent_id,omitempty" doc:"The consent it awaits."`
	AcceptedAt   time.Time  `json:"accepted_at" doc:"The time it was accepted, to the millisecond: calls are listed in this order."`
	Since        time.Time  `json:"since" doc:"The time it was queued, started, or asked for consent, according to its state; for a call that is done the time it started, or ended if it never did."`
	EndedAt      *time.Time `json:"ended_at,omitzero" doc:"The time it ended."`
	DurationMS   float64    `json:"duration_ms,omitzero" doc:"How long it ran, in milliseconds."`
}
