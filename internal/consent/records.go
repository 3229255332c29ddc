package consent

import (
	"cmp"
	"strings"

	"github.com/helve-dev/helve/internal/call"
	reasons "github.com/helve-dev/helve/internal/lib/reason"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// reasonOf returns a verdict as one sentence for the trail. The comment is in the
// person's own words.
func reasonOf(r *protocol.Consent) string {
	text := string(r.Status) + " by " + r.Verdict.By
	if r.Verdict.Remember != "" && r.Status == protocol.GrantedConsent {
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

// endedRecord returns the final record of a call that was parked and not granted.
func endedRecord(e *call.Call, r *protocol.Consent, reason *tool.Error) *protocol.AuditRecord {
	phase := protocol.AuditRefused
	if r.Status == protocol.CancelledConsent {
		phase = protocol.AuditCancelled
	}
	at, accepted := r.Verdict.At, e.Accepted()
	return &protocol.AuditRecord{
		ID:    "ended-" + r.ID + "-" + e.ID,
		Phase: phase, TraceID: e.TraceID, CallID: e.ID, Tenant: e.Tenant, User: e.User, Agent: e.Agent,
		Conversation: e.Conversation, Tool: r.Tool, ArgsHash: r.ArgsHash, ConsentID: r.ID,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeBlocked, Reason: reasonOf(r), Rule: r.Rule},
		Result: &protocol.AuditResult{
			Status:    protocol.StatusError,
			ErrorType: string(reason.Kind),
			Summary:   reasons.Of(reason.Msg, e.Arguments),
		},
		AcceptedAt: &accepted, EndedAt: &at, Origin: e.Via,
	}
}

func grantRecord(g *protocol.Grant, by, what string) *protocol.AuditRecord {
	id := what
	if g.Program != "" {
		what += " for the rest of program " + g.Program
	}
	outcome := protocol.OutcomeAllowed
	if g.Deny {
		outcome = protocol.OutcomeBlocked
	}
	return &protocol.AuditRecord{
		ID:    id + "-" + g.ID + "-" + g.ConsentID,
		Phase: protocol.AuditGrantChanged, Tenant: g.Tenant, User: g.User, Conversation: g.Conversation, By: by,
		Tool: g.Tool, GrantID: g.ID, ConsentID: g.ConsentID,
		Decision: &protocol.AuditDecision{Outcome: outcome, Reason: what}, Detail: cmp.Or(g.Permission, list(g.Tools)), TraceID: g.TraceID,
	}
}

func list(names []string) string { return strings.Join(names, ", ") }
