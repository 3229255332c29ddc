package openapi

import (
	"reflect"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/upstream/pins"
	"github.com/helve-dev/helve/tool"
)

// closedSet is a type of the document that has some values and no others.
type closedSet struct {
	name, about string
	values      []any
}

var enums = map[reflect.Type]closedSet{
	reflect.TypeFor[tool.Kind](): {"ErrorType", "Why a call failed; a closed set.", values(tool.Kinds()...)},
	reflect.TypeFor[tool.Risk](): {"Risk", "low stays inside the person's own workspace and can be undone, medium destroys or reaches outward, high runs code.",
		values(tool.Low, tool.Medium, tool.High)},
	reflect.TypeFor[tool.Confirmation](): {"Confirmation", "When a call needs a person, beyond what its risk asks for.",
		values(tool.ConfirmNever, tool.ConfirmIfDestructive, tool.ConfirmAlways)},
	reflect.TypeFor[consent.Status](): {"ConsentStatus", "pending until the one verdict. refused was never shown, because too many waited.",
		values(consent.Pending, consent.Granted, consent.Denied, consent.Expired, consent.Cancelled, consent.Refused)},
	reflect.TypeFor[consent.Remember](): {"Remember", "How long a decision holds: for this call, for the conversation, or until it is revoked.",
		values(consent.Once, consent.Session, consent.Always)},
	reflect.TypeFor[audit.Phase](): {"AuditPhase", "What a record tells of.", values(
		audit.Started, audit.Finished, audit.Refused, audit.ConsentRequested, audit.ConsentDecided, audit.TokenMinted, audit.Cancelled,
		audit.GrantChanged, audit.PolicyChanged, audit.AgentChanged, audit.RetentionChanged, audit.UpstreamChanged)},
	reflect.TypeFor[audit.Kind](): {"AuditProblemKind", "What is wrong with a trail.", values(
		audit.Changed, audit.Missing, audit.Added, audit.Reordered, audit.CutOff, audit.SealMissing, audit.SealForged, audit.SealChanged, audit.Unsealed)},
}

// closed are the sets of fields that are plain strings in Go.
var closed = map[string][]any{
	"Tool.kind":                values(tool.KindBuiltin, tool.KindJS, tool.KindDynamic, tool.KindRemote, tool.KindMCP),
	"AuditDecision.outcome":    values(audit.Allowed, audit.Blocked, audit.ConfirmationRequired),
	"UpstreamTool.state":       values(pins.StateAccepted, pins.StateChanged, pins.StateNew),
	"Result.status":            values(bus.StatusSuccess, bus.StatusError, bus.StatusPending),
	"Result.state":             values(bus.StateQueued, bus.StateRunning, bus.StateAwaitingConsent, bus.StateDone),
	"DecisionRequest.decision": values("grant", "deny"),
}

func values[T ~string](list ...T) []any {
	all := make([]any, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}
