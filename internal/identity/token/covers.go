package token

import (
	"slices"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Use describes the call for which a token is presented. ArgsHash is the hash of the
// final arguments, in the form of schema.Hash. High is set if the tool's risk is high,
// ApproverOnly if an approver or admin must have approved. Explicit, if set, reports
// whether scopes restrict something that the tool uses.
type Use struct {
	Tenant, User, TraceID, Tool, ArgsHash, CallID, Binding string
	High, ApproverOnly                                     bool
	// Programs are the runs of the programs around the call.
	Programs []protocol.ProgramRun
	Explicit func(tool.Scopes) bool
}

// Covers reports whether verified claims cover the use: nil, or a [*Refusal]
// that names the first binding that failed.
func (c Claims) Covers(u Use) error {
	switch {
	case c.Tenant != u.Tenant:
		return refuse(Tenant, "the confirm token is for another tenant; ask for one of this tenant")
	case c.User != u.User:
		return refuse(User, "the confirm token is for another user; ask for a token for the user of this call")
	case c.TraceID != u.TraceID:
		return refuse(TraceID,
			"the confirm token is for another trace; send the call with the trace_id it was approved for, or ask for a new token")
	case c.Program != nil && !slices.Contains(u.Programs, *c.Program):
		return refuse(Program, "the confirm token is for the steps of program %s; make the call without it", c.Program.CallID)
	case !slices.Contains(c.Tools, u.Tool):
		return refuse(Tool, "the confirm token is for another tool; ask for a token that names '%s'", u.Tool)
	case c.ArgsHash != "" && c.ArgsHash != u.ArgsHash:
		return refuse(Arguments,
			"the arguments are not those the confirm token was approved for; send the approved arguments, or ask for a new token")
	case c.CallID != "" && c.CallID != u.CallID:
		return refuse(Call, "the confirm token is for another call; send it with the call it was approved for, or ask for a new token")
	case c.Binding != "" && c.Binding != u.Binding:
		return refuse(Version, "what the call is about was changed since the person was asked; make the call again")
	case u.ApproverOnly && !c.Approver:
		return refuse(Role,
			"'%s' needs the yes of somebody with the role approver or admin, and no plan can be approved for it ahead of time; "+
				"make the call without it, so that one of them is asked",
			u.Tool)
	case u.High && !(c.scoped() && (u.Explicit == nil || u.Explicit(*c.Scopes))):
		return refuse(Scopes,
			"'%s' is of high risk and the confirm token sets no scopes that it uses; ask for a token with the paths, hosts or apps it may reach",
			u.Tool)
	}
	return nil
}

// scoped reports whether the token restricts what may be reached. Scopes without an
// entry restrict nothing.
func (c Claims) scoped() bool {
	return c.Scopes != nil && len(c.Scopes.Paths)+len(c.Scopes.Hosts)+len(c.Scopes.Apps) > 0
}
