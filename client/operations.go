package client

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
)

type (
	// DeadLetter is a queued message that a worker could not read.
	DeadLetter = protocol.DeadLetter
	// DeadList is a page of dead letters.
	DeadList = protocol.DeadList
	// CallSummary is a call in a list.
	CallSummary = protocol.CallSummary
	// CallStep is a step of a call with its time.
	CallStep = protocol.CallStep
	// KeptDetail describes how a call is known whose result has expired.
	KeptDetail = protocol.KeptDetail
	// CallList is a page of calls.
	CallList = protocol.CallList
	// Finding is the state of one part of the system.
	Finding = protocol.Finding
	// CheckReport lists the findings about the system.
	CheckReport = protocol.CheckReport
)

// Dead returns a page of the dead letters of the tenant, the oldest first; the cursor is
// the Next of the previous page. It requires the role auditor or admin.
func (c *Client) Dead(ctx context.Context, limit int, cursor string) (DeadList, error) {
	body, err := c.ask(ctx, list("dead.list", "/v1/dead", given(map[string]string{"limit": limitText(limit), "cursor": cursor})))
	if err != nil {
		return DeadList{}, err
	}
	var told DeadList
	return told, decode(body, &told)
}

// DeadLetter returns one dead letter, with what may happen if it is requeued.
func (c *Client) DeadLetter(ctx context.Context, seq uint64) (DeadLetter, error) {
	return c.letter(ctx, seq, operation{name: "dead.get", method: http.MethodGet})
}

// RequeueDead puts a dead letter on the queue again. Without force a letter whose call may
// have had its effect is refused with a [*RequestError] of type [Conflict]. It requires
// the role admin.
func (c *Client) RequeueDead(ctx context.Context, seq uint64, force bool) (DeadLetter, error) {
	body, err := json.Marshal(map[string]any{"seq": seq, "force": force}, json.Deterministic(true))
	if err != nil {
		return DeadLetter{}, misused("the request cannot be encoded as JSON: %v", err)
	}
	return c.letter(ctx, seq, operation{name: "dead.requeue", method: http.MethodPost, path: "/requeue", body: body})
}

// DropDead removes a dead letter. It requires the role admin.
func (c *Client) DropDead(ctx context.Context, seq uint64) error {
	_, err := c.letter(ctx, seq, operation{name: "dead.drop", method: http.MethodDelete})
	return err
}

func (c *Client) letter(ctx context.Context, seq uint64, op operation) (DeadLetter, error) {
	text := strconv.FormatUint(seq, 10)
	op.fields, op.path = map[string]string{"seq": text}, "/v1/dead/"+text+op.path
	body, err := c.ask(ctx, op)
	if err != nil {
		return DeadLetter{}, err
	}
	var told DeadLetter
	return told, decode(body, &told)
}

// CallFilter selects calls. All fields that are set must match.
type CallFilter struct {
	// Status is success, error or pending; State is queued, running, awaiting_consent or
	// done.
	Status, State                   string
	Tool, User, Agent, Conversation string
	Pool, TraceID                   string
	// Worker is the worker that runs or ran a call.
	Worker string
	// ErrorType is the type of the error of a call, Version the version of its tool's definition.
	ErrorType, Version string
	// Text is a part of the ID, the tool or the summary; with Contents also of the arguments
	// without their secrets, or of the result, of calls that have ended. A page looks into
	// 500 calls at most, so that one without calls may have a Next.
	Text     string
	Contents bool
	// From is the start of the period, inclusive; To its end, exclusive.
	From, To time.Time
	// Limit is the number of calls on a page, at most 1000; 0 means 100.
	Limit int
	// Cursor is the Next of the previous page.
	Cursor string
}

// Calls returns a page of the calls of the tenant, in the order of their acceptance, the newest
// first, whatever their state. It requires the role auditor or admin; with the role user it
// returns the caller's own.
func (c *Client) Calls(ctx context.Context, f CallFilter) (CallList, error) {
	moment := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format(time.RFC3339Nano)
	}
	body, err := c.ask(ctx, list("calls.list", "/v1/calls", given(map[string]string{
		"status": f.Status, "state": f.State, "error_type": f.ErrorType, "tool": f.Tool, "version": f.Version,
		"user": f.User, "agent": f.Agent, "conversation": f.Conversation,
		"pool": f.Pool, "worker": f.Worker, "trace_id": f.TraceID, "q": f.Text, "contents": flagText(f.Contents),
		"from": moment(f.From), "to": moment(f.To), "limit": limitText(f.Limit), "cursor": f.Cursor,
	})))
	if err != nil {
		return CallList{}, err
	}
	var told CallList
	return told, decode(body, &told)
}

// checkTimeout is the time a server may take to examine the system.
const checkTimeout = 30 * time.Second

// Check examines the system and returns a finding for each part. It requires the role
// auditor or admin.
func (c *Client) Check(ctx context.Context) (CheckReport, error) {
	op := list("system.check", "/v1/check", nil)
	op.patience = checkTimeout
	body, err := c.ask(ctx, op)
	if err != nil {
		return CheckReport{}, err
	}
	var told CheckReport
	return told, decode(body, &told)
}
