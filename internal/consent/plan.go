package consent

import (
	"context"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// PlanToken is a token for the steps of a program, which these bring along.
type PlanToken struct {
	Text    string
	Tools   []string
	Expires time.Time
}

// planned returns the run of the program of a token, nil for none. The program must be one of the
// token's person that has not ended.
func (svc *Service) planned(ctx context.Context, tenant string, spec *MintSpec) (*protocol.ProgramRun, error) {
	if spec.Program == "" {
		return nil, nil
	}
	p, err := svc.running(ctx, tenant, spec.Program)
	switch {
	case err != nil:
		return nil, err
	case p == nil || p.User != spec.User:
		return nil, fail(NotFound, "no program of %s with this call_id runs or waits, so it has no steps that a token could be for", spec.User)
	case spec.TraceID == "":
		spec.TraceID = p.TraceID
	case spec.TraceID != p.TraceID:
		return nil, fail(BadRequest, "the program has another trace_id; leave trace_id out")
	}
	return &protocol.ProgramRun{CallID: spec.Program, Run: p.Run}, nil
}

// planText returns what a token covers, for its record.
func planText(spec *MintSpec) string {
	text := list(spec.Tools)
	if spec.Program != "" {
		text += " in program " + spec.Program
	}
	return text
}

// rememberPlan stores the grant that follows from the approval of a call of a durable tool: it
// covers the tools that the person was shown, in the steps of this run.
func (svc *Service) rememberPlan(ctx context.Context, r *protocol.Consent) error {
	if r.Status != protocol.GrantedConsent || !r.ForTool || len(r.Tools) == 0 {
		return nil
	}
	p, err := svc.running(ctx, r.Tenant, r.Call.CallID)
	if p == nil || err != nil || p.User != r.User || p.TraceID != r.Call.TraceID {
		return err
	}
	scopes := r.Scopes
	grant := protocol.Grant{
		Tenant: r.Tenant, User: r.User, Program: r.Call.CallID, TraceID: p.TraceID, ProgramRun: p.Run, Tools: r.Tools, Scopes: &scopes,
		By: r.Verdict.By, At: r.Verdict.At, ConsentID: r.ID,
	}
	grant.ID = "g-" + short(keyOf(&grant))
	return svc.store(ctx, grant)
}
