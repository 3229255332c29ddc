package protocol

import (
	"encoding/json"
	"time"
)

// Types of an [Event].
const (
	EventQueued          = "queued"
	EventStarted         = "started"
	EventProgress        = "progress"
	EventLog             = "log"
	EventPartial         = "partial"
	EventAwaitingConsent = "awaiting_consent"
	EventResumed         = "resumed"
	EventDone            = "done"
)

// Event is one step of a call.
type Event struct {
	ID      string          `json:"id" doc:"The event's place in its trace. Send it as Last-Event-ID to resume the stream after this event."`
	Type    string          `json:"type" enum:"queued,started,progress,log,partial,awaiting_consent,resumed,done" doc:"The step; also the event's name in the stream."`
	Time    time.Time       `json:"time" doc:"The time of the step."`
	TraceID string          `json:"trace_id" doc:"The trace of the call."`
	CallID  string          `json:"call_id" doc:"The call's id."`
	Tool    string          `json:"tool" doc:"The tool's name."`
	Owner   *Owner          `json:"owner,omitempty" doc:"The person and agent that the call was made for."`
	Data    json.RawMessage `json:"data" doc:"By type: worker and attempt for started; consent_id for awaiting_consent and resumed; status and error_type for done; the tool's own value for progress, log and partial."`
}
