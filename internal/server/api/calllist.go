package api

import (
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

var callParams = []string{
	"status", "state", "error_type", "tool", "version", "user", "agent", "conversation", "pool", "worker", "trace_id", "from", "to", "q",
	"contents", "limit", "cursor",
}

// CallQuery selects calls of a tenant. Empty fields select all.
type CallQuery struct {
	Tenant, Status, State, ErrorType, Tool, Version, User, Agent, Conversation, Pool, Worker, TraceID string
	// Text is a part of the ID, the tool or the summary, in any case.
	Text string
	// Contents includes the arguments and the results of calls that have ended.
	Contents bool
	From, To time.Time
	Limit    int
	Cursor   string
}

// CallLister lists calls. An invalid cursor is [audit.ErrCursor].
type CallLister interface {
	ListCalls(ctx context.Context, q CallQuery) (protocol.CallList, error)
}

func (s *Service) listCalls(ctx context.Context, in Input) (Reply, error) {
	if s.List == nil {
		return Reply{}, missing("audit trail")
	}
	p := in.Params
	q := CallQuery{
		Tenant: in.Tenant, Status: p["status"], State: p["state"], ErrorType: p["error_type"], Tool: p["tool"], Version: p["version"],
		Conversation: p["conversation"], Pool: p["pool"], Worker: p["worker"], TraceID: p["trace_id"], Text: p["q"], Cursor: p["cursor"],
	}
	for _, name := range []string{"conversation", "pool", "worker"} {
		if err := optionalName(name, p[name]); err != nil {
			return Reply{}, err
		}
	}
	var err error
	if q.User, q.Agent, err = whoseCalls(in); err != nil {
		return Reply{}, err
	}
	statuses := []string{protocol.StatusSuccess, protocol.StatusError, protocol.StatusPending}
	states := []string{protocol.StateQueued, protocol.StateRunning, protocol.StateAwaitingConsent, protocol.StateWaiting, protocol.StateDone}
	switch {
	case q.Status != "" && !slices.Contains(statuses, q.Status):
		return Reply{}, notOneOf("status", q.Status, statuses)
	case q.State != "" && !slices.Contains(states, q.State):
		return Reply{}, notOneOf("state", q.State, states)
	case q.TraceID != "" && !isHex(q.TraceID, traceIDLength):
		return Reply{}, BadRequest("trace_id must be 32 lower-case hex digits")
	case q.Tool != "" && !tool.ValidName(q.Tool):
		return Reply{}, BadRequest("%.80q is not a tool's name", q.Tool)
	case len(q.Version) > maxText:
		return Reply{}, BadRequest("version must have at most %d bytes", maxText)
	case q.ErrorType != "" && !slices.Contains(tool.Kinds(), tool.Kind(q.ErrorType)):
		return Reply{}, notOneOf("error_type", q.ErrorType, tool.Kinds())
	}
	if q.Contents, err = flag("contents", p["contents"]); err != nil {
		return Reply{}, err
	}
	switch {
	case len(q.Text) > maxText:
		return Reply{}, BadRequest("q must have at most %d bytes", maxText)
	case q.Contents && q.Text == "":
		return Reply{}, BadRequest("contents extends the search of q; give a q")
	}
	if q.Limit, err = pageSize(p["limit"]); err != nil {
		return Reply{}, err
	}
	if q.From, q.To, err = span(p["from"], p["to"], time.Now()); err != nil {
		return Reply{}, err
	}
	list, err := s.List.ListCalls(ctx, q)
	if err != nil {
		return Reply{}, cursorError(err)
	}
	list.Calls = array(list.Calls)
	return answer(list)
}

// whoseCalls returns the person and the agent whose calls the caller may list: any for the roles
// admin and auditor, its own for others.
func whoseCalls(in Input) (user, agent string, err error) {
	user, agent = in.Params["user"], in.Params["agent"]
	if in.By.Oversees() {
		if err = optionalName("user", user); err == nil {
			err = optionalName("agent", agent)
		}
		return user, agent, err
	}
	by, err := narrow(in, user, agent)
	if err == nil && by.User == "" {
		err = Forbidden("this credential names no user, so the request must: set user")
	}
	return by.User, by.Agent, err
}
