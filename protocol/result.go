package protocol

import (
	"encoding/json"
	"time"
)

// Statuses of a [Result].
const (
	StatusSuccess = "success"
	StatusError   = "error"
	StatusPending = "pending"
)

// States of a call.
const (
	StateQueued          = "queued"
	StateRunning         = "running"
	StateAwaitingConsent = "awaiting_consent"
	StateDone            = "done"
)

// OriginProgram is the origin of the steps of programs.
const OriginProgram = "program"

// Result is the outcome of a call, or its state while it is not done. The same element
// is stored, republished to the dispatcher and returned to the caller.
type Result struct {
	CallID     string          `json:"call_id" doc:"The call's id."`
	ToolCallID string          `json:"tool_call_id,omitempty" doc:"The model provider's id, as it was sent."`
	TraceID    string          `json:"trace_id,omitempty" doc:"The trace."`
	Tool       string          `json:"tool" doc:"The tool's name."`
	Status     string          `json:"status" enum:"success,error,pending" doc:"success, error, or pending: wait_ms ended, or a person must decide first."`
	State      string          `json:"state,omitempty" enum:"queued,running,awaiting_consent,waiting,done" doc:"The call's state."`
	ConsentID  string          `json:"consent_id,omitempty" doc:"The consent that the call awaits."`
	ConnectURL string          `json:"connect_url,omitempty" doc:"The address at which the person connects the account that the call awaits, if the consent is of kind account."`
	WaitingFor []ProgramWait   `json:"waiting_for,omitempty" doc:"What a program waits for, in the state waiting."`
	Result     json.RawMessage `json:"result,omitzero" doc:"The tool's result: any JSON value; numbers keep every digit."`
	ResultRef  *ResultRef      `json:"result_ref,omitzero" doc:"A reference to the result, if it is too large for the message."`
	Text       string          `json:"text,omitempty" doc:"The text to show to a model instead of the result, if the tool returns such a text."`
	TextRef    *ResultRef      `json:"text_ref,omitzero" doc:"A reference to the text, if it is too large for the message."`
	Content    json.RawMessage `json:"content,omitzero" doc:"The blocks of a result that is more than a value, as MCP defines them: texts, images, sounds, resources and links, with their data in base64. text describes them; a failed call may have some too."`
	ContentRef *ResultRef      `json:"content_ref,omitzero" doc:"A reference to the blocks, if they are too large for the message."`
	ErrorType  Kind            `json:"error_type,omitempty" doc:"Why the call failed."`
	Message    string          `json:"message,omitempty" doc:"One sentence for the model: the cause and what to do."`
	Truncated  bool            `json:"truncated,omitzero" doc:"true if the result was cut to the tool's maximum size; metadata has the full size."`
	Notes      []string        `json:"notes,omitempty" doc:"Sentences that a model should read with the result, at most 5: an ignored parameter, a truncation, a lowered limit."`
	DurationMS float64         `json:"duration_ms" doc:"The running time of the tool, in milliseconds."`
	Attempt    int             `json:"attempt,omitzero" doc:"The number of the attempt, from 1."`
	Worker     string          `json:"worker,omitempty" doc:"The worker that ran it."`
	Metadata   map[string]any  `json:"metadata,omitempty" doc:"More about the result. files lists the files of the workspace that the call wrote: path, size in bytes and media type of each, at most 100."`
	ArgsHash   string          `json:"args_hash,omitempty" doc:"sha256: and the hash of the arguments as sent, in canonical JSON."`
	Owner      *Owner          `json:"owner,omitempty" doc:"The person and agent that the call was made for."`
	Origin     string          `json:"origin,omitempty" doc:"How the call was made, as policy rules name it: mcp, schedule or program; absent if it was made directly."`
	Parent     string          `json:"parent,omitempty" doc:"The call_id of the program whose step the call is."`
}

// ResultRef names an object in the bucket HELVE_RESULTS that holds a value too large
// for its message. The HTTP path /result of the call returns such a result too.
type ResultRef struct {
	Object string `json:"object" doc:"Its name in the bucket."`
	Size   int64  `json:"size" doc:"Its size in bytes."`
	SHA256 string `json:"sha256" doc:"Its hash, in hex."`
}

// CallDetail answers calls.get: a result element with the members that include names.
type CallDetail struct {
	Result

	Arguments json.RawMessage `json:"arguments,omitzero" doc:"The arguments, with secrets hidden and made safe to display, if include names them. Absent if they are not known: after the end those larger than 4 KiB, before it those of a call that was handed to a worker without being queued."`
	Steps     []CallStep      `json:"steps,omitempty" doc:"The steps of the call that are known, the oldest first, if include names them."`
	Kept      *KeptDetail     `json:"kept,omitzero" doc:"Present if include names result and the result has expired: where the answer is from."`
}

// The sources of a call whose result has expired.
const (
	KeptHistory = "history"
	KeptRecord  = "record"
)

// KeptDetail describes how a call is known whose result has expired.
type KeptDetail struct {
	By      string     `json:"by" enum:"history,record" doc:"history: the call as it was answered, by the settings history.keep; record: only what its final audit record has, without arguments and result, and of a failure a message of at most 200 characters without its arguments."`
	Until   *time.Time `json:"until,omitzero" doc:"When the call expires from the history, unless newer ones displace it before."`
	LeftOut int64      `json:"left_out,omitzero" doc:"The size in bytes of a result that was too large to be kept."`
}

// Steps of a call.
const (
	StepAccepted = "accepted"
	StepAsked    = "asked"
	StepDecided  = "decided"
	StepStarted  = "started"
	StepDone     = "done"
)

// CallStep is a step of a call with its time. It is known for as long as the call's result
// and its audit records are kept, which is longer than its events are.
type CallStep struct {
	Step string    `json:"step" enum:"accepted,asked,decided,started,done" doc:"accepted: by a dispatcher, which queues it immediately; asked: a person was asked; decided: the person, or the end of the time to decide; started: the tool, once for each attempt; done."`
	At   time.Time `json:"at" doc:"Its time."`
}
