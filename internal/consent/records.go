package consent

import (
	"strings"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/tool"
)

// told is a verdict as one sentence of the trail. The comment is the person's
// own words.
func (r *Request) told() string {
	text := string(r.Status) + " by " + r.Verdict.By
	if r.Verdict.Remember != "" && r.Status == Granted {
		text += ", remembered: " + string(r.Verdict.Remember)
	}
	if r.Verdict.NeverAsk {
		text += ", never to be asked again"
	}
	if r.Verdict.Comment != "" {
		text += ": " + r.Verdict.Comment
	}
	return text
}

// endedRecord is the final record of a call that was parked and not granted.
func endedRecord(e *bus.Envelope, r *Request, reason *tool.Error) *audit.Record {
	phase := audit.Refused
	if r.Status == Cancelled {
		phase = audit.Cancelled
	}
	at := r.Verdict.At
	return &audit.Record{
		AuditID: "ended-" + r.ConsentID + "-" + e.CallID,
		Phase:   phase, TraceID: e.TraceID, CallID: e.CallID, Tenant: e.Tenant, User: e.User, Agent: e.Agent,
		Conversation: e.Conversation, Tool: r.Tool, ArgsHash: r.ArgsHash, ConsentID: r.ConsentID,
		Decision: &audit.Decision{Outcome: audit.Blocked, Reason: r.told(), Rule: r.Rule},
		Result:   &audit.Result{Status: bus.StatusError, ErrorType: string(reason.Kind)},
		EndedAt:  &at,
	}
}

func grantRecord(g *Grant, by, what string) *audit.Record {
	outcome := audit.Allowed
	if g.Deny {
		outcome = audit.Blocked
	}
	return &audit.Record{
		AuditID: what + "-" + g.GrantID + "-" + g.ConsentID,
		Phase:   audit.GrantChanged, Tenant: g.Tenant, User: g.User, Conversation: g.Conversation, By: by,
		Tool: g.Tool, GrantID: g.GrantID, ConsentID: g.ConsentID,
		Decision: &audit.Decision{Outcome: outcome, Reason: what}, Detail: g.Permission,
	}
}

func list(names []string) string { return strings.Join(names, ", ") }
