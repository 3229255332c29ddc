package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/internal/toolbox/upstream/wire"
	"github.com/helve-dev/helve/tool"
)

// call executes one call on the server.
func (c *client) call(ctx context.Context, call *tool.Call, o *offer, args json.RawMessage) (res tool.Result, err error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return tool.Result{}, ctx.Err() // nothing was sent to the server
	}
	s, err := c.reach(ctx, o)
	if err != nil {
		return tool.Result{}, err
	}
	began := time.Now()
	defer func() { c.pool.o.Metrics.UpstreamCalled(c.s.Name, outcome(err), time.Since(began)) }()
	params := &mcp.CallToolParams{Name: o.upstream, Arguments: args}
	parent := ""
	if c.pool.o.Trace != nil {
		traced, traceparent, end := c.pool.o.Trace(ctx, c.s.Name, c.s.URL, o.upstream)
		ctx, parent = traced, traceparent
		defer func() { end(failureOf(err)) }()
	}
	relay := &relay{call: call, left: maxProgress}
	answer, err := s.call(ctx, params, parent, relay.tell)
	if forgotten(err) {
		c.renew(s)
		if s, err = c.reach(ctx, o); err != nil {
			return tool.Result{}, err
		}
		answer, err = s.call(ctx, params, parent, relay.tell)
	}
	if err != nil {
		return tool.Result{}, c.callError(ctx, s, o, err)
	}
	res, err = c.result(o, answer)
	if err != nil {
		return tool.Result{}, c.marked(err)
	}
	res.Notes = append([]string{foreign.Note("The answer", c.source())}, res.Notes...)
	return res, nil
}

// source names the server in what models read.
func (c *client) source() string { return "the MCP server " + c.s.Name }

// marked returns an error with the text of a server, on one line and with its source.
func (c *client) marked(err error) error {
	e := tool.AsError(err)
	if e.Kind != tool.ExecutionError {
		return err
	}
	shown := *e
	shown.Msg = foreign.Marked(e.Msg, c.source(), maxMessageText)
	return &shown
}

// call sends a call to the server of a session that [client.reach] returned.
func (s *session) call(
	ctx context.Context, params *mcp.CallToolParams, traceparent string, tell func(*mcp.ProgressNotificationParams),
) (*mcp.CallToolResult, error) {
	defer s.calls.end()
	token, stop := s.follow(tell)
	defer stop()
	params.SetProgressToken(token)
	if traceparent != "" {
		params.Meta["traceparent"] = traceparent
	}
	return s.mcp.CallTool(ctx, params)
}

func outcome(err error) string { return cmp.Or(failureOf(err), "success") }

// failureOf returns the error type of a call, empty for none.
func failureOf(err error) string {
	if err == nil {
		return ""
	}
	return string(tool.AsError(err).Kind)
}

const maxMessageText = 2 << 10 // bytes of an error message of a server

// codeRejected is the code that the SDK gives to a request without an answer over HTTP.
const codeRejected = -32005

// endedEarly is the SDK's error for a stream of events without the answer.
const endedEarly = "request terminated without response"

// callError returns the error for a call without a result.
func (c *client) callError(ctx context.Context, s *session, o *offer, err error) error {
	if errors.Is(err, wire.ErrNotSent) {
		c.listAgain()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if refused, ok := errors.AsType[*tool.Error](err); ok && refused.Kind != tool.NetworkError && refused.Kind != tool.Timeout {
			return refused // by the guard
		}
		return c.down(o.def.Name).Because(err)
	}
	if ctx.Err() != nil {
		c.listAgain() // to find out whether the server still answers
		return silent(ctx, o, err)
	}
	said, ok := errors.AsType[*jsonrpc.Error](err)
	rejected := ok && said.Code == codeRejected
	if ok && !rejected {
		if f, ok := wire.FailureOf(said); ok {
			c.listAgain()
			return c.answered(o, f)
		}
		switch said.Code {
		case wire.CodeUnread:
			return c.unreadable(o, said.Message)
		case wire.CodeTooLong:
			return tool.Fail(tool.ExecutionError, "the MCP server %s ran '%s', but %s; %s", c.s.Name, o.def.Name, said.Message, o.insteadOfLength())
		}
		refusal := tool.Fail(tool.ExecutionError, "the MCP server %s refused the call of '%s': %s",
			c.s.Name, o.def.Name, said.Message+dataOf(said.Data))
		return c.marked(refusal.With("data", said.Data).Because(fmt.Errorf("code %d", said.Code)))
	}
	if errors.Is(err, mcp.ErrConnectionClosed) { // the SDK detects it before it sends anything
		return c.down(o.def.Name)
	}
	if !rejected && !errors.Is(err, wire.ErrBroken) && !s.over() && !strings.Contains(err.Error(), endedEarly) {
		return c.unreadable(o, "its answer is not as the protocol says").Because(err)
	}
	c.listAgain()
	return silent(ctx, o, err)
}

// insteadOfLength is the advice about an answer that is too long: the tool ran.
func (o *offer) insteadOfLength() string {
	if o.unsure() {
		return "do not call it again for its answer"
	}
	return "ask for less"
}

// silent returns the error for a call without an answer: a server cannot be stopped, so
// the outcome is unknown unless the tool changes nothing or may be run again.
func silent(ctx context.Context, o *offer, err error) error {
	late := errors.Is(context.Cause(ctx), context.DeadlineExceeded)
	switch {
	case (late || ctx.Err() == nil) && o.def.Mutates && !o.def.Idempotent:
		return tool.Fail(tool.OutcomeUnknown,
			"the MCP server that runs '%s' did not answer: it may or may not have happened, and it was not run again; check before you retry",
			o.def.Name).
			Because(errors.New(err.Error())) // not wrapped: a context error would look as if the tool had stopped
	case ctx.Err() != nil:
		return ctx.Err() // the pipeline maps it
	}
	return tool.Fail(tool.ExecutionError, "the MCP server that runs '%s' was lost before it answered; try again", o.def.Name).Because(err)
}

// Bounds of the progress reports of one call.
const (
	maxProgress     = 1000
	maxProgressText = 1 << 10
)

// relay publishes the progress reports of a server as events.
type relay struct {
	call *tool.Call
	left int
}

func (r *relay) tell(p *mcp.ProgressNotificationParams) {
	if r.left == 0 {
		return
	}
	r.left--
	data := map[string]any{"progress": p.Progress}
	if p.Total != 0 {
		data["total"] = p.Total
	}
	if p.Message != "" {
		data["message"] = foreign.Text(p.Message, maxProgressText)
	}
	r.call.Progress(data)
}
