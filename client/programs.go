package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/helve-dev/helve/protocol"
)

type (
	// Program is a program in a list: a call whose steps are calls.
	Program = protocol.Program
	// Programs is a page of programs.
	Programs = protocol.Programs
	// ProgramDetail is a program with its source, its steps and its log.
	ProgramDetail = protocol.ProgramDetail
	// ProgramStep is a call that a program has made.
	ProgramStep = protocol.ProgramStep
	// ProgramWait is one thing that a program waits for.
	ProgramWait = protocol.ProgramWait
	// ProgramSleep is a time for which the code of a program waits.
	ProgramSleep = protocol.ProgramSleep
	// ProgramLog is a line that a program has logged.
	ProgramLog = protocol.ProgramLog
)

// ProgramFilter selects programs. All fields that are set must match.
type ProgramFilter struct {
	// Status is success, error or pending.
	Status, User, Agent string
	// TraceID is the trace of the program, of its steps and of the programs in it.
	TraceID string
	// Limit is the number of programs on a page, at most 200; 0 means 50.
	Limit int
	// Cursor is the Next of the previous page.
	Cursor string
}

// Programs returns a page of the programs of the tenant, the newest first, until seven days after
// their end. With the role user or agent it returns the caller's own.
func (c *Client) Programs(ctx context.Context, f ProgramFilter) (Programs, error) {
	body, err := c.ask(ctx, list("programs.list", "/v1/programs", given(map[string]string{
		"status": f.Status, "user": f.User, "agent": f.Agent, "trace_id": f.TraceID, "limit": limitText(f.Limit), "cursor": f.Cursor,
	})))
	if err != nil {
		return Programs{}, err
	}
	var told Programs
	return told, decode(body, &told)
}

// Program returns a program with its source, steps and log. An unknown call_id, and one of a
// program of another person, is a [*RequestError] of type [NotFound]. [Client.Cancel] cancels a
// program.
func (c *Client) Program(ctx context.Context, callID string) (ProgramDetail, error) {
	var told ProgramDetail
	if callID == "" {
		return told, misused("the call_id of the program is missing")
	}
	op := list("programs.get", "/v1/programs/"+url.PathEscape(callID), nil)
	op.fields = map[string]string{"call_id": callID}
	body, err := c.ask(ctx, op)
	if err != nil {
		return told, err
	}
	return told, decode(body, &told)
}

// RetryProgram makes a failed program go on as a new call, whose state it returns. A program that
// cannot go on is a [*RequestError] of type [Conflict].
func (c *Client) RetryProgram(ctx context.Context, callID string) (Result, error) {
	if callID == "" {
		return Result{}, misused("the call_id of the program is missing")
	}
	op := operation{
		name: "programs.retry", method: http.MethodPost, path: "/v1/programs/" + url.PathEscape(callID) + "/retry",
		fields: map[string]string{"call_id": callID},
	}
	body, err := c.ask(ctx, op)
	if err != nil {
		return Result{}, err
	}
	var told protocol.ExecuteAnswer
	if err := decode(body, &told); err != nil {
		return Result{}, err
	}
	if len(told.Results) != 1 {
		return Result{}, misused("the server answered a retry with %d results", len(told.Results))
	}
	r := resultOf(&told.Results[0])
	return r, c.fetch(ctx, &r)
}
