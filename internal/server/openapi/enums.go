package openapi

import (
	"reflect"

	"github.com/helve-dev/helve/protocol"
)

// closedSet is a type of the document with a fixed list of values.
type closedSet struct {
	name, about string
	values      []any
}

var enums = map[reflect.Type]closedSet{
	reflect.TypeFor[protocol.Kind](): {"ErrorType", "Why a call failed; a closed set.", values(protocol.Kinds()...)},
	reflect.TypeFor[protocol.Risk](): {"Risk",
		"low stays inside the person's own workspace and can be undone, medium destroys or reaches outward, high runs code.",
		values(protocol.Low, protocol.Medium, protocol.High)},
	reflect.TypeFor[protocol.Confirmation](): {"Confirmation", "When a call needs a person, beyond what its risk asks for.",
		values(protocol.ConfirmNever, protocol.ConfirmIfDestructive, protocol.ConfirmAlways)},
	reflect.TypeFor[protocol.ConsentStatus](): {"ConsentStatus",
		"pending until the one verdict. refused was never shown, because too many waited.",
		values(protocol.PendingConsent, protocol.GrantedConsent, protocol.DeniedConsent, protocol.ExpiredConsent, protocol.CancelledConsent,
			protocol.RefusedConsent)},
	reflect.TypeFor[protocol.Remember](): {"Remember",
		"How long a decision holds: for this call, for the rest of its program, for the conversation, or until it is revoked.",
		values(protocol.RememberOnce, protocol.RememberProgram, protocol.RememberSession, protocol.RememberAlways)},
	reflect.TypeFor[protocol.AuditPhase](): {
		"AuditPhase", "What a record tells of.", values(append(protocol.AuditPhases(), protocol.AuditUnreadable)...),
	},
	reflect.TypeFor[protocol.AuditProblemKind](): {"AuditProblemKind", "What is wrong with a trail.", values(
		protocol.ProblemChanged, protocol.ProblemMissing, protocol.ProblemAdded, protocol.ProblemReordered, protocol.ProblemForeign,
		protocol.ProblemForged, protocol.ProblemCutOff, protocol.ProblemSealMissing, protocol.ProblemSealForged, protocol.ProblemSealChanged,
		protocol.ProblemIndexChanged, protocol.ProblemIndexMissing, protocol.ProblemIndexExtra, protocol.ProblemIndexBehind,
		protocol.ProblemUnsealed)},
}

func values[T ~string](list ...T) []any {
	all := make([]any, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}
