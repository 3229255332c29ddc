package dispatch

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Call is one call of a request, as a front end sent it: the members of [call.Call] that a
// front end knows are set. An empty id means that one is made. The request has the rest.
type Call struct {
	call.Call
	// Fresh is set if the id was made by [NewID] for this call and that nobody else
	// knows it yet, so that there can be no earlier attempt.
	Fresh bool
	// Problem is a known error of this call. It ends this call, not its request.
	Problem *tool.Error

	// promised is set when the callback of the call is stored, began when its program is.
	promised, began bool
	// program is the call of a program that is stored under the id already.
	program *call.Call
}

// Request is a set of calls that belong together and run in parallel.
type Request struct {
	Tenant, User, Agent, Conversation string
	// Toolset is the name of the tool set that the calls are bound to; empty is all tools.
	Toolset string
	// Timezone is the IANA name of the person's time zone; empty is UTC.
	Timezone string
	// TraceID is made when empty.
	TraceID     string
	Traceparent string
	// Via names the way the calls came, as rules know it; empty is directly.
	Via   string
	Calls []Call
	// Wait bounds how long Execute waits for results; 0 does not wait.
	Wait time.Duration
	// ConsentWait is set to wait for calls that await a person too.
	ConsentWait bool
	// Callback, if set, receives each finished element. Who makes the request has checked it.
	Callback *protocol.Callback

	// Began is when the request came. Execute sets it.
	Began time.Time
}

const (
	// confirmWithin is the time beyond Wait that a request may take to confirm
	// that a call is accepted; leastTime is for requests that wait for less.
	confirmWithin = 750 * time.Millisecond
	leastTime     = 2 * time.Second
)

// within bounds the reading and writing of large results for the answer: what is left
// of the request's time, or leastTime where it was used up.
func (r *Request) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, max(time.Until(r.until()), leastTime))
}

// until is when the request is answered, whatever NATS does.
func (r *Request) until() time.Time { return r.Began.Add(max(r.Wait+confirmWithin, leastTime)) }

// Response holds one result element (docs/protocol.md, execute) for each call, in the
// order asked.
type Response struct {
	TraceID string
	Results []json.RawMessage
	// RetryAfter is above 0 when every call was refused as overloaded.
	RetryAfter time.Duration
	// Reason is then why, if that is not that too many calls wait.
	Reason string
	// Limited is set if every call was over a quota.
	Limited bool
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

// AnswerLimit returns the bound of an answer as a whole, or other if there is none.
func AnswerLimit(ctx context.Context, other int) int {
	if limit := answerOf(ctx).Limit; limit > 0 {
		return int(limit)
	}
	return other
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

// Kind is the machine-readable kind of an [Error].
type Kind string

// The kinds: the sender may not make the request, the item does not exist or is hidden
// from the sender, the answer is too large, or NATS cannot serve the request now.
const (
	Forbidden   Kind = "forbidden"
	NotFound    Kind = "not_found"
	TooLarge    Kind = "too_large"
	Unavailable Kind = "unavailable"
)

// Error is the failure of a whole request. Msg is one sentence for the sender.
type Error struct {
	Kind Kind
	Msg  string
	// RetryAfter is the delay after which the request may be sent again; 0 if it should
	// not be sent again unchanged.
	RetryAfter time.Duration
}

// Error returns the kind and the message.
func (e *Error) Error() string { return string(e.Kind) + ": " + e.Msg }

func notFound(msg string) *Error { return &Error{Kind: NotFound, Msg: msg} }
