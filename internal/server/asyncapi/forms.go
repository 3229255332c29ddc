package asyncapi

import (
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/protocol"
)

func oneOf[T ~string](values ...T) Schema { return Schema{"type": "string", "enum": values} }

var (
	anything = Schema{}
	object   = Schema{"type": "object", "additionalProperties": true}
	// names is a list that may be null.
	names = Schema{"type": []string{"array", "null"}, "items": Schema{"type": "string"}}
)

// forms are the schemas of fields whose Go type is not enough, by the name of a field,
// or by message and field.
var forms = map[string]Schema{
	"trace_id":       {"type": "string", "pattern": "^[0-9a-f]{32}$"},
	"arguments":      object,
	"call.arguments": anything,
	"parameters":     object,
	"args_schema":    object,
	"result_schema":  object,
	"error_type":     oneOf(protocol.Kinds()...),
	"risk":           oneOf(protocol.Low, protocol.Medium, protocol.High),
	"confirmation":   oneOf(protocol.ConfirmNever, protocol.ConfirmIfDestructive, protocol.ConfirmAlways),
	"remember":       oneOf(protocol.RememberOnce, protocol.RememberProgram, protocol.RememberSession, protocol.RememberAlways),
	"phase":          oneOf(protocol.AuditPhases()...),
	"consent.status": oneOf(protocol.PendingConsent),
	"decision.status": oneOf(protocol.GrantedConsent, protocol.DeniedConsent, protocol.ExpiredConsent, protocol.CancelledConsent,
		protocol.RefusedConsent),
	"paths":       names,
	"hosts":       names,
	"apps":        names,
	"permissions": names,

	"problem.error_type": oneOf(
		protocol.BadRequest, protocol.Unauthenticated, protocol.Forbidden, protocol.NotFound, protocol.Conflict, protocol.TooLarge,
		protocol.TooMany, protocol.Unavailable, protocol.OverQuota),
	"record.error_type": {"type": "string"},
}

// headerTexts describe headers of messages.
var headerTexts = map[string]string{
	traceparent:        "The W3C trace context, by which the spans of all processes become one trace.",
	queue.HeaderRecord: "The final audit record of the call, one line of JSON.",
	queue.HeaderShared: "Present if a group may hold an earlier result of the call, which then is its result.",
	queue.HeaderArguments: "The arguments of the call up to 4 KiB, one line: `r` and the arguments as the tool got them, or `s` and the " +
		"same with secrets hidden, if the schema marks some.",
	queue.HeaderGroup: "The calls of the group and the lengths of their elements in bytes, as `call_id:length`, separated by spaces. " +
		"The body " +
		"is the elements, one behind the other; the records in `Helve-Record` and the arguments in `Helve-Arguments` are separated by tabs.",
	stream.HeaderResults: "The first and the last place in the stream HELVE_RESULTS of the results that the records were stored with, " +
		"as `3-17`. Only messages of final records have it, and the headers beside it.",
	stream.HeaderStream: "When that stream was made, which names it.",
	stream.HeaderSigned: "The signature of the dispatcher that wrote the message, over tenant, stream and range.",
	stream.HeaderSince:  "When the first of these results was stored.",
	lastSequence: "The place of the tenant's message of final records before this one: the server refuses a message that does not " +
		"follow it.",
	messageID:      "What the server knows a repeated message by.",
	"Helve-Events": "The subject on which this call's progress is told. It holds a secret that no other call's has.",
	errorCode:      "A code like HTTP's.",
	errorText:      "What went wrong and what to do.",
}
