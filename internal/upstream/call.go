package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/foreign"
	"github.com/helve-dev/helve/internal/upstream/wire"
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
	s, err := c.reach(o)
	if err != nil {
		return tool.Result{}, err
	}
	began := time.Now()
	defer func() { c.pool.o.Metrics.UpstreamCalled(c.s.Name, outcome(err), time.Since(began)) }()
	relay := &relay{call: call, left: maxProgress}
	token, stop := s.follow(relay.tell)
	defer stop()
	params := &mcp.CallToolParams{Name: o.upstream, Arguments: args}
	params.SetProgressToken(token)
	if c.pool.o.Trace != nil {
		traced, parent, end := c.pool.o.Trace(ctx, c.s.Name, c.s.URL, o.upstream)
		if ctx = traced; parent != "" {
			params.Meta["traceparent"] = parent
		}
		defer func() { end(failureOf(err)) }()
	}
	answer, err := s.mcp.CallTool(ctx, params)
	if err != nil {
		return tool.Result{}, c.failed(ctx, o, err)
	}
	return c.result(o, answer)
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

// failed returns the error for a call without a result.
func (c *client) failed(ctx context.Context, o *offer, err error) error {
	if ctx.Err() != nil {
		c.listAgain() // to find out whether the server still answers
		return silent(ctx, o, err)
	}
	if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if said.Code == wire.CodeRefused {
			return tool.Fail(tool.ExecutionError, "the MCP server %s ran '%s', but %s; ask for less", c.s.Name, o.def.Name, said.Message)
		}
		return tool.Fail(tool.ExecutionError, "the MCP server %s refused the call of '%s': %s", c.s.Name, o.def.Name, foreign.Text(said.Message, maxMessageText)).Because(fmt.Errorf("code %d", said.Code))
	}
	if refused, ok := errors.AsType[*tool.Error](err); ok && refused.Kind != tool.NetworkError && refused.Kind != tool.Timeout {
		return refused // refused by the guard before anything was sent
	}
	if errors.Is(err, mcp.ErrConnectionClosed) { // the SDK detects it before it sends anything
		return c.down(o.def.Name)
	}
	if c.s.URL == "" && !errors.Is(err, wire.ErrBroken) {
		return tool.Fail(tool.ExecutionError, "the MCP server %s did not answer '%s' as the protocol says: %s", c.s.Name, o.def.Name, foreign.Text(err.Error(), 200)).Because(err)
	}
	c.listAgain()
	return silent(ctx, o, err)
}

// silent returns the error for a call without an answer: a server cannot be stopped, so
// the outcome is unknown unless the tool changes nothing or may be run again.
func silent(ctx context.Context, o *offer, err error) error {
	late := errors.Is(context.Cause(ctx), context.DeadlineExceeded)
	switch {
	case (late || ctx.Err() == nil) && o.def.Mutates && !o.def.Idempotent:
		return tool.Fail(tool.OutcomeUnknown, "the MCP server that runs '%s' did not answer: it may or may not have happened, and it was not run again; check before you retry", o.def.Name).
			Because(fmt.Errorf("%v", err)) //nolint:errorlint // a wrapped context error would look as if the tool had stopped
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
