package protocol

import "time"

// CallList answers calls.list.
type CallList struct {
	Calls []CallSummary `json:"calls" doc:"The calls: on the first page those without a result, then those that are done, the newest first."`
	Next  string        `json:"next,omitempty" doc:"The cursor of the next page; absent on the last."`
}

// CallSummary is a call in a list, without its arguments and result.
type CallSummary struct {
	CallID       string     `json:"call_id" doc:"The call."`
	TraceID      string     `json:"trace_id,omitempty" doc:"Its trace."`
	Tool         string     `json:"tool" doc:"The tool."`
	State        string     `json:"state" enum:"queued,running,awaiting_consent,done" doc:"The state of the call."`
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
	Since        time.Time  `json:"since" doc:"The time it was queued, started, or asked for consent, according to its state; for a call that is done the time it started, or ended if it never did."`
	EndedAt      *time.Time `json:"ended_at,omitzero" doc:"The time it ended."`
	DurationMS   float64    `json:"duration_ms,omitzero" doc:"How long it ran, in milliseconds."`
}
