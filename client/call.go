package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// CallOption modifies one [Client.Call].
type CallOption func(*callSettings)

type callSettings struct {
	Request

	call Call
	into any
}

// Into decodes the result of a successful call into the value that out points to, by
// the rules of encoding/json. A result that does not fit is an error.
func Into(out any) CallOption { return func(s *callSettings) { s.into = out } }

// CallID makes id the call's idempotency key.
func CallID(id string) CallOption { return func(s *callSettings) { s.call.ID = id } }

// TraceID makes the call part of a trace, 32 lower-case hex digits.
func TraceID(id string) CallOption { return func(s *callSettings) { s.TraceID = id } }

// Timeout bounds how long the tool may run.
func Timeout(d time.Duration) CallOption { return func(s *callSettings) { s.call.Timeout = d } }

// Wait bounds how long the server waits for the call; see [Request].
func Wait(d time.Duration) CallOption { return func(s *callSettings) { s.Wait = d } }

// AwaitConsent also waits for the person if consent is required.
func AwaitConsent() CallOption { return func(s *callSettings) { s.Consent = ConsentWait } }

// As makes the call on behalf of somebody; empty fields are the client's.
func As(who Context) CallOption { return func(s *callSettings) { s.Context = who } }

// ConfirmToken approves the call ahead of time.
func ConfirmToken(token string) CallOption {
	return func(s *callSettings) { s.call.ConfirmToken = token }
}

// Batch lets the call wait behind others while workers are scarce.
func Batch() CallOption { return func(s *callSettings) { s.call.Priority = PriorityBatch } }

// WaitForWorker queues the call even if no live worker has its tool; see [Call].
func WaitForWorker() CallOption { return func(s *callSettings) { s.call.WaitForWorker = true } }

// Call runs one call of the tool named name; args are the Arguments of a [Call]. A
// failed call returns a [*tool.Error] with its kind, an unfinished call returns
// [ErrPending], both with the Result; any other error is from [Client.Execute].
func (c *Client) Call(ctx context.Context, name string, args any, opts ...CallOption) (Result, error) {
	set := callSettings{call: Call{Tool: name, Arguments: args}}
	for _, opt := range opts {
		opt(&set)
	}
	set.Calls = []Call{set.call}
	resp, err := c.Execute(ctx, set.Request)
	if len(resp.Results) == 0 {
		return Result{}, err
	}
	r := resp.Results[0]
	if err != nil {
		return r, err
	}
	if err := r.Err(); err != nil {
		return r, err
	}
	if set.into != nil {
		if err := json.Unmarshal(r.Value, set.into); err != nil {
			return r, fmt.Errorf("the result of %s does not fit %T: %w", name, set.into, err)
		}
	}
	return r, nil
}

// Get returns the state of a call, even if another client sent it. An unknown or
// expired call_id is a [*RequestError] of type [NotFound].
func (c *Client) Get(ctx context.Context, callID string) (Result, error) {
	return c.one(ctx, callID, "calls.get", "")
}

// Cancel cancels a call and returns its state. A call that is already done keeps its
// Result, which is returned.
func (c *Client) Cancel(ctx context.Context, callID string) (Result, error) {
	return c.one(ctx, callID, "calls.cancel", "/cancel")
}

// Arguments returns the arguments of a call with their secrets hidden, safe to display. It
// returns nil if they are not known: after its end those larger than 4 KiB, and before it
// those of a call that was handed to a worker without being queued. An unknown or expired
// call_id is a [*RequestError] of type [NotFound].
func (c *Client) Arguments(ctx context.Context, callID string) (json.RawMessage, error) {
	detail, err := c.detail(ctx, callID, "arguments")
	return detail.Arguments, err
}

// Steps returns when a call was accepted, asked about, decided, started and done, as far as that
// is known, the oldest step first. An unknown or expired call_id is a [*RequestError] of type
// [NotFound].
func (c *Client) Steps(ctx context.Context, callID string) ([]CallStep, error) {
	detail, err := c.detail(ctx, callID, "steps")
	return detail.Steps, err
}

// KeptCall is a call whose result has expired.
type KeptCall struct {
	Result

	Arguments json.RawMessage
	Steps     []CallStep
	Kept      KeptDetail
}

// Kept returns a call that [Client.Get] does not know, because its result has expired: as it
// was answered while the history keeps it (history.keep), and after that what its final audit
// record has. A call that is known nowhere is a [*RequestError] of type [NotFound].
func (c *Client) Kept(ctx context.Context, callID string) (KeptCall, error) {
	detail, err := c.detail(ctx, callID, "arguments,steps,result")
	if err != nil {
		return KeptCall{}, err
	}
	k := KeptCall{Result: resultOf(&detail.Result), Arguments: detail.Arguments, Steps: detail.Steps}
	if detail.Kept != nil {
		k.Kept = *detail.Kept
	}
	return k, nil
}

// detail returns a call with the members that include names.
func (c *Client) detail(ctx context.Context, callID, include string) (detail protocol.CallDetail, err error) {
	if !callIDPattern.MatchString(callID) {
		return detail, misused("call_id %.140q must have 1 to 128 letters, digits, underscores and hyphens", callID)
	}
	body, err := c.ask(ctx, operation{
		name: "calls.get", fields: map[string]string{"call_id": callID, "include": include},
		method: http.MethodGet, path: "/v1/calls/" + callID + "?include=" + include,
	})
	if err != nil {
		return detail, err
	}
	return detail, decode(body, &detail)
}

func (c *Client) one(ctx context.Context, callID, name, verb string) (Result, error) {
	if !callIDPattern.MatchString(callID) {
		return Result{}, misused("call_id %.140q must have 1 to 128 letters, digits, underscores and hyphens", callID)
	}
	op := operation{name: name, fields: map[string]string{"call_id": callID}, method: "GET", path: "/v1/calls/" + callID + verb}
	if verb != "" {
		op.method = "POST"
	}
	body, err := c.ask(ctx, op)
	if err != nil {
		return Result{}, err
	}
	var e protocol.Result
	if err := decode(body, &e); err != nil {
		return Result{}, err
	}
	r := resultOf(&e)
	return r, c.fetch(ctx, &r)
}
