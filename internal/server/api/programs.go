package api

import (
	"context"
	"slices"
	"strconv"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/protocol"
)

// ProgramQuery selects programs of a tenant. Empty fields select all.
type ProgramQuery struct {
	Tenant, User, Agent, TraceID string
	// Status is success, error or pending.
	Status string
	Limit  int
	Cursor string
}

// Programs shows programs. An invalid cursor is [audit.ErrCursor]; other errors that a caller may
// see are of type [*RequestError].
type Programs interface {
	ListPrograms(ctx context.Context, q ProgramQuery) (protocol.Programs, error)
	// Program returns a program that the caller may see.
	Program(ctx context.Context, tenant, callID string) (protocol.ProgramDetail, error)
	// OpenPrograms counts the programs of a person that have not ended, or with an empty name
	// those of the tenant.
	OpenPrograms(tenant, user string) int
	// RetryProgram makes a failed program of the caller go on as a new call.
	RetryProgram(ctx context.Context, tenant, callID string) (dispatch.Response, error)
}

// The sizes of a page of programs.
const (
	defaultPrograms = 50
	mostPrograms    = 200
)

func (s *Service) listPrograms(ctx context.Context, in Input) (Reply, error) {
	if s.Programs == nil {
		return Reply{}, missing("programs")
	}
	p := in.Params
	q := ProgramQuery{Tenant: in.Tenant, Status: p["status"], TraceID: p["trace_id"], Limit: defaultPrograms, Cursor: p["cursor"]}
	var err error
	if q.User, q.Agent, err = whosePrograms(in); err != nil {
		return Reply{}, err
	}
	statuses := []string{protocol.StatusSuccess, protocol.StatusError, protocol.StatusPending}
	if q.Status != "" && !slices.Contains(statuses, q.Status) {
		return Reply{}, notOneOf("status", q.Status, statuses)
	}
	if q.TraceID != "" && !isHex(q.TraceID, traceIDLength) {
		return Reply{}, BadRequest("trace_id must be 32 lower-case hex digits")
	}
	if text := in.Params["limit"]; text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > mostPrograms {
			return Reply{}, BadRequest("limit must be 1 to %d, but it is %.40q", mostPrograms, text)
		}
	}
	list, err := s.Programs.ListPrograms(ctx, q)
	if err != nil {
		return Reply{}, cursorError(err)
	}
	list.Programs = array(list.Programs)
	return answer(list)
}

// whosePrograms is whoseCalls, also for the credential of an agent, which lists the agent's.
func whosePrograms(in Input) (user, agent string, err error) {
	if user, agent = in.By.User, in.By.Agent; user == "" && agent != "" && !in.By.Oversees() {
		by, err := narrow(in, in.Params["user"], in.Params["agent"])
		return by.User, by.Agent, err
	}
	return whoseCalls(in)
}

func (s *Service) getProgram(ctx context.Context, in Input) (Reply, error) {
	if s.Programs == nil {
		return Reply{}, missing("programs")
	}
	id := in.Params["call_id"]
	if err := CallID(id); err != nil {
		return Reply{}, err
	}
	d, err := s.Programs.Program(ctx, in.Tenant, id)
	if err != nil {
		return Reply{}, err
	}
	d.Steps, d.Log = array(d.Steps), array(d.Log)
	return answer(d)
}

// retryProgram answers as execute does, with the call that continues the program.
func (s *Service) retryProgram(ctx context.Context, in Input) (Reply, error) {
	if s.Programs == nil {
		return Reply{}, missing("programs")
	}
	id := in.Params["call_id"]
	if err := CallID(id); err != nil {
		return Reply{}, err
	}
	resp, err := s.Programs.RetryProgram(ctx, in.Tenant, id)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: AppendResponse(nil, resp, nil), RetryAfter: resp.RetryAfter, Reason: resp.Reason, Limited: resp.Limited}, nil
}
