package calls

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/dispatch/program"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// Programs implements [api.Programs]. A look at a program of somebody else is on the trail before
// it is answered.
type Programs struct {
	Stored StoredPrograms
	Views  *Views
	Hidden dispatch.Hidden
}

// StoredPrograms has the programs that are stored, as [program.Service] does.
type StoredPrograms interface {
	List(ctx context.Context, q program.Query) (list []protocol.Program, more bool)
	// Detail returns a program if permit, which is given its conversation too, returns nil.
	Detail(
		ctx context.Context, tenant, callID string, permit func(p *protocol.Program, conversation string) error,
	) (protocol.ProgramDetail, error)
	// Open counts the programs of a person that have not ended, or with an empty name those of
	// the tenant.
	Open(tenant, user string) int
	// Retry makes a failed program go on as a new call, if permit returns nil. An error of type
	// [*program.Refused] is the reason why it does not.
	Retry(
		ctx context.Context, tenant, callID string, permit func(p *protocol.Program, conversation string) error,
	) (dispatch.Response, error)
}

// RetryProgram implements [api.Programs]. Only its person, and the agent that made it, may
// retry a program.
func (p Programs) RetryProgram(ctx context.Context, tenant, callID string) (dispatch.Response, error) {
	resp, err := p.Stored.Retry(ctx, tenant, callID, func(of *protocol.Program, _ string) error {
		if by := identity.Of(ctx); by.Open || by.SpeaksFor(of.User, of.Agent) {
			return nil
		}
		return unknownProgram()
	})
	if errors.Is(err, program.ErrUnknown) {
		return resp, unknownProgram()
	}
	if refused, ok := errors.AsType[*program.Refused](err); ok {
		return resp, api.Conflict("%s", refused.Msg)
	}
	return resp, err
}

// ListPrograms implements [api.Programs].
func (p Programs) ListPrograms(ctx context.Context, q api.ProgramQuery) (protocol.Programs, error) {
	below, err := placeAt(q.Cursor)
	if err != nil {
		return protocol.Programs{}, err
	}
	list, more := p.Stored.List(ctx, program.Query{
		Tenant: q.Tenant, User: q.User, Agent: q.Agent, Trace: q.TraceID, Status: q.Status,
		BeforeMS: below.ms, BeforeID: below.id, Limit: q.Limit,
	})
	page := protocol.Programs{Programs: list}
	if more {
		last := &list[len(list)-1]
		page.Next = place{last.StartedAt.UnixMilli(), last.CallID}.cursor()
	}
	return page, nil
}

// OpenPrograms implements [api.Programs].
func (p Programs) OpenPrograms(tenant, user string) int { return p.Stored.Open(tenant, user) }

// Program implements [api.Programs].
func (p Programs) Program(ctx context.Context, tenant, callID string) (protocol.ProgramDetail, error) {
	d, err := p.Stored.Detail(ctx, tenant, callID, func(of *protocol.Program, conversation string) error {
		return p.permit(ctx, tenant, conversation, of)
	})
	if errors.Is(err, program.ErrUnknown) {
		return d, unknownProgram()
	}
	if err != nil {
		return d, err
	}
	d.Input = p.input(tenant, &d)
	return d, nil
}

// permit returns nil if the caller may see a program; for others there is none.
func (p Programs) permit(ctx context.Context, tenant, conversation string, of *protocol.Program) error {
	by := identity.Of(ctx)
	switch {
	case by.Open, by.SpeaksFor(of.User, of.Agent):
		return nil
	case !by.Oversees():
		return unknownProgram()
	}
	return p.Views.Calls(ctx, tenant, "programs.get", []protocol.CallSummary{{
		CallID: of.CallID, TraceID: of.TraceID, Tool: of.Tool, User: of.User, Agent: of.Agent, Conversation: conversation,
	}})
}

func unknownProgram() error {
	return api.NotFound("no program with this call_id is known; programs are shown for seven days after their end")
}

// input returns what a program was given as people may see it: the argument input of a program
// of a model, all arguments of a durable tool.
func (p Programs) input(tenant string, d *protocol.ProgramDetail) json.RawMessage {
	if d.Code == "" {
		return p.Hidden.Shown(tenant, d.User, d.Tool, d.Input)
	}
	if len(d.Input) == 0 {
		return nil
	}
	type given struct {
		Input json.RawMessage `json:"input"`
	}
	args, err := json.Marshal(given{d.Input})
	if err != nil {
		return nil
	}
	var shown given
	if json.Unmarshal(p.Hidden.Shown(tenant, d.User, d.Tool, args), &shown) != nil {
		return nil // it cannot be shown
	}
	return shown.Input
}
