package dispatcher

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Call is one call of a request, as a front end sent it.
type Call struct {
	// ID is the caller's call_id; empty means that one is made.
	ID         string
	ToolCallID string
	Tool       string
	// Arguments are the bytes as sent: an object, or a JSON string holding
	// one. Nil means none.
	Arguments    json.RawMessage
	ConfirmToken string
	// Timeout is the caller's; 0 means the tool's own.
	Timeout time.Duration
	// Problem is what is already known to be wrong with this call. It ends
	// this call, not its request.
	Problem *tool.Error
}

// Request is a set of calls that belong together and run in parallel.
type Request struct {
	Tenant, User, Agent, Conversation string
	// TraceID is made when empty.
	TraceID     string
	Traceparent string
	Calls       []Call
	// Wait bounds how long Execute waits for results; 0 answers at once.
	Wait time.Duration
	// Inline is the largest result, in bytes, that is put into the answer
	// itself; larger ones are named by result_ref. AnswerLimit bounds the
	// answer as a whole; 0 means no bound.
	Inline, AnswerLimit int64
	// ConsentWait says that a call which awaits a person is waited for too.
	ConsentWait bool
}

// Response holds one result element (PROTOCOL section 4) for each call, in the
// order asked.
type Response struct {
	TraceID string
	Results []json.RawMessage
	// RetryAfter is above 0 when every call was refused as overloaded.
	RetryAfter time.Duration
}

// Event is one step of a call: ID orders it and resumes a listener, Data is
// the whole event as JSON.
type Event struct {
	ID, Type string
	Data     []byte
}

// RequestError is the failure of a whole request.
type RequestError struct {
	// Type is one of the whole-request error types of PROTOCOL section 4.
	Type string
	// Status is the HTTP status that goes with it.
	Status     int
	Msg        string
	RetryAfter time.Duration
}

// Error returns the type and the message.
func (e *RequestError) Error() string { return e.Type + ": " + e.Msg }

func notFound(msg string) *RequestError {
	return &RequestError{Type: "not_found", Status: http.StatusNotFound, Msg: msg}
}

// Fault tells the NATS transport code, sentence and body of the failure.
func (e *RequestError) Fault() (code int, description string, body []byte) {
	body, err := json.Marshal(map[string]string{"error_type": e.Type, "message": e.Msg})
	if err != nil {
		return e.Status, e.Msg, nil
	}
	return e.Status, e.Msg, body
}
