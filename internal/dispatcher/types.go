package dispatcher

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Call is one call of a request, as a front end sent it.
type Call struct {
	// ID is the caller's call_id; empty means that one is made.
	ID string
	// Fresh says that ID was made by [NewID] for this call and that nobody else
	// knows it yet, so that there can be no earlier attempt.
	Fresh      bool
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
	// Via names the way the calls came, as rules know it; empty is directly.
	Via   string
	Calls []Call
	// Wait bounds how long Execute waits for results; 0 answers at once.
	Wait time.Duration
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

// Answer bounds what an answer holds, in bytes, as its transport wants it.
type Answer struct {
	// Inline is the largest result that is put into the answer itself; larger
	// ones are named by result_ref.
	Inline int64
	// Limit bounds the answer as a whole; 0 means no bound.
	Limit int64
}

type answerKey struct{}

// WithAnswer sets the bounds of the answers under ctx. Without it results up to
// [DefaultInline] are inlined.
func WithAnswer(ctx context.Context, a Answer) context.Context {
	return context.WithValue(ctx, answerKey{}, a)
}

// ShareAnswer leaves results the n-th part of an answer's room: its transport's
// caller puts more into it.
func ShareAnswer(ctx context.Context, n int64) context.Context {
	a := answerOf(ctx)
	return WithAnswer(ctx, Answer{Inline: a.Inline / n, Limit: a.Limit / n})
}

func answerOf(ctx context.Context) Answer {
	if a, ok := ctx.Value(answerKey{}).(Answer); ok {
		return a
	}
	return Answer{Inline: DefaultInline}
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
