package protocol

import "time"

// DeadList answers dead.list.
type DeadList struct {
	Dead []DeadLetter `json:"dead" doc:"The dead letters of the tenant, the oldest first."`
	Next string       `json:"next,omitempty" doc:"The cursor of the next page; absent on the last."`
}

// DeadLetter is a queued message that a worker could not read.
type DeadLetter struct {
	Seq    uint64    `json:"seq" doc:"Its number."`
	At     time.Time `json:"at" doc:"The time a worker set it aside. It is kept for 7 days."`
	Pool   string    `json:"pool" doc:"The pool in whose queue it was."`
	Reason string    `json:"reason" doc:"Why it could not be read."`
	Bytes  int       `json:"bytes" doc:"Its size."`
	CallID string    `json:"call_id,omitempty" doc:"The call, if the dispatcher can read the message."`
	Tool   string    `json:"tool,omitempty" doc:"The tool of the call."`
	User   string    `json:"user,omitempty" doc:"The person of the call."`
	Agent  string    `json:"agent,omitempty" doc:"The agent of the call."`
	// TraceID, Subject and Risk are shown for a single letter.
	TraceID string `json:"trace_id,omitempty" doc:"The trace of the call."`
	Subject string `json:"subject,omitempty" doc:"The subject it was queued under; only for a single letter."`
	Risk    string `json:"risk,omitempty" doc:"Why it is requeued only with force: what may happen then; only for a single letter."`
	Result  bool   `json:"has_result,omitzero" doc:"true if the call has a result already, so that it cannot be requeued; only for a single letter."`
}

// RequeueRequest is the body of dead.requeue.
type RequeueRequest struct {
	Force bool `json:"force,omitempty" doc:"Requeue it although its effect may happen a second time, or may have happened."`
}
