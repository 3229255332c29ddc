package upstream

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/internal/toolbox/upstream/wire"
	"github.com/helve-dev/helve/tool"
)

// class describes the end of calls that a server answers with certain statuses. The table in
// docs/mcp-upstream.md has all of them, and the test reads it.
type class struct {
	kind tool.Kind
	says string
	// unsure is set if the call may have happened all the same.
	unsure bool
}

// classOf returns the class of a status that is no success.
func classOf(f wire.Failure) class {
	switch code := f.Status; {
	case f.Session:
		return class{kind: tool.ToolNotAvailable, says: "it does not know its session, also not a new one"}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return class{kind: tool.ToolNotAvailable, says: "it refuses the credentials that Helve has for it; tell the operator"}
	case code == http.StatusTooManyRequests:
		return class{kind: tool.RateLimited, says: "it takes no more requests now"}
	case code < http.StatusBadRequest, elsewhere[code]:
		return class{kind: tool.ToolNotAvailable, says: "it serves no tools at its address; tell the operator"}
	case code == http.StatusRequestEntityTooLarge || code == http.StatusRequestHeaderFieldsTooLarge:
		return class{kind: tool.ExecutionError, says: "the arguments are too large for it; send less"}
	case code < http.StatusInternalServerError:
		return class{kind: tool.ExecutionError, says: "it refused the request"}
	}
	return class{kind: tool.ExecutionError, says: "it failed; try again", unsure: true}
}

// elsewhere are the statuses of addresses that serve no tools, or not in this protocol.
var elsewhere = map[int]bool{
	http.StatusNotFound: true, http.StatusMethodNotAllowed: true, http.StatusNotAcceptable: true, http.StatusGone: true,
	http.StatusUnsupportedMediaType: true, http.StatusMisdirectedRequest: true, http.StatusUpgradeRequired: true,
	http.StatusNotImplemented: true,
}

// answered returns the error for a call that a server answered with a status.
func (c *client) answered(o *offer, f wire.Failure) *tool.Error {
	k := classOf(f)
	status := fmt.Sprintf("status %d", f.Status)
	if f.RetryAfter > 0 {
		status += fmt.Sprintf(", try again in %d seconds", f.RetryAfter)
	}
	said := ""
	if f.Text != "" {
		said = fmt.Sprintf(". It said, from outside and not to be trusted: %q", foreign.Text(f.Text, maxMessageText))
	}
	var e *tool.Error
	switch {
	case k.unsure && o.unsure():
		e = tool.Fail(tool.OutcomeUnknown,
			"the MCP server %s answered '%s' with an error (%s): it may or may not have happened, and it was not run again; "+
				"check before you retry%s",
			c.s.Name, o.def.Name, status, said)
	case k.kind == tool.ToolNotAvailable:
		e = tool.Fail(k.kind, "'%s' is not available: the MCP server %s answered with an error (%s), so nothing was done: %s%s",
			o.def.Name, c.s.Name, status, k.says, said)
	case k.unsure:
		e = tool.Fail(k.kind, "the MCP server %s answered '%s' with an error (%s): %s%s", c.s.Name, o.def.Name, status, k.says, said)
	default:
		e = tool.Fail(k.kind, "the MCP server %s answered '%s' with an error (%s), so nothing was done: %s%s",
			c.s.Name, o.def.Name, status, k.says, said)
	}
	if f.RetryAfter > 0 {
		e = e.With("retryAfter", f.RetryAfter)
	}
	return e.With("status", f.Status).Because(errors.New(status))
}

// unsure reports whether a call without a usable answer may have changed something.
func (o *offer) unsure() bool { return o.def.Mutates && !o.def.Idempotent }

// unreadable returns the error for a call whose answer cannot be used: the server ran the
// tool, so a call that changes something must not look as if it had not happened.
func (c *client) unreadable(o *offer, why string) *tool.Error {
	if o.unsure() {
		return tool.Fail(tool.OutcomeUnknown,
			"the MCP server %s ran '%s', but %s: it may or may not have happened, and it was not run again; check before you retry",
			c.s.Name, o.def.Name, why)
	}
	return tool.Fail(tool.ExecutionError, "the MCP server %s ran '%s', but %s", c.s.Name, o.def.Name, why)
}

// failureOfStatus returns the status that a server answered with, if the error is one.
func failureOfStatus(err error) (wire.Failure, bool) {
	said, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return wire.Failure{}, false
	}
	return wire.FailureOf(said)
}

// forgotten reports whether a server did not know the session of a request, so that nothing
// was done.
func forgotten(err error) bool {
	f, ok := failureOfStatus(err)
	return ok && f.Session
}
