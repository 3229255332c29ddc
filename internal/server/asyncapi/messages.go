package asyncapi

import (
	"errors"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// Headers defined by NATS and its micro services.
const (
	traceparent  = "traceparent"
	messageID    = "Nats-Msg-Id"
	lastSequence = "Nats-Expected-Last-Subject-Sequence"
	errorCode    = "Nats-Service-Error-Code"
	errorText    = "Nats-Service-Error"
)

// definition is a tool's definition as a remote process may send it.
type definition struct {
	protocol.Tool

	ArgsSchema any `json:"args_schema,omitempty" doc:"Another name of parameters."`
}

// registration is a [protocol.RegisterRequest] with parsed definitions.
type registration struct {
	Instance string       `json:"instance" doc:"The id of the process, which tells it from others that run the same tools: 1 to 64 letters, digits, _ and -."`
	TTLMS    int          `json:"ttl_ms" doc:"How long it counts as alive after each registration: 1000 to 300000."`
	Tools    []definition `json:"tools" doc:"The definitions of its tools; a missing field has its default."`
}

// messages collects the definitions of messages.
type messages struct {
	all map[string]Message
	err error
}

// define adds a message whose body is a T.
func define[T any](m *messages, name, description string, heads Schema) {
	payload, err := schemaOf[T](name)
	m.err = errors.Join(m.err, err)
	m.all[name] = Message{Description: description, Headers: heads, Payload: payload}
}

// everyMessage returns all messages except the requests, which come from the table of
// operations.
func everyMessage() (map[string]Message, error) {
	m := &messages{all: map[string]Message{
		"cancel": {Description: "The call is to stop. There is no body."},
		"progress": {
			Description: "The data of one progress event of the call: any JSON value of at most 16 KiB.",
			Payload:     Schema{"description": "Any JSON value."},
		},
		"answer": {
			Description: "The answer to an operation, the same JSON as over HTTP. It has no header " + errorCode + ".",
			Payload:     Schema{"type": "object", "additionalProperties": true},
		},
	}}
	define[call.Call](m, "call", "A call on its way to a worker. Programs outside ask `execute`, which makes it.",
		headers(nil, traceparent, messageID))
	define[protocol.Result](m, "result", "How a call ended: a result element, as `execute` and `calls.get` answer it.",
		headers(nil, queue.HeaderRecord, queue.HeaderArguments, queue.HeaderShared))
	m.all["results"] = Message{
		Description: "Results of several calls, stored in one message. Each is as if it were alone.",
		Headers:     headers([]string{queue.HeaderGroup}, queue.HeaderGroup, queue.HeaderRecord, queue.HeaderArguments),
		Payload:     Schema{"description": "Result elements, one behind the other."},
	}
	define[protocol.Event](m, "event", "One step of a call.", nil)
	define[protocol.Consent](m, "consent", "What a person is asked. Show `arguments` or `preview` as text and never as markup.",
		headers([]string{messageID}, messageID))
	define[protocol.Consent](m, "decision", "The decision on a request: the request again, with `decision`.",
		headers([]string{messageID}, messageID))
	define[storedRecord](m, "record", "One entry of the audit trail. It holds no arguments and no secret.",
		headers(nil, stream.HeaderResults, stream.HeaderStream, stream.HeaderSigned, stream.HeaderSince, lastSequence))
	define[protocol.RemoteCall](m, "remote_call", "A call for a process outside: validated, authorised, fenced and on record already.",
		headers([]string{peer.HeaderEvents}, traceparent, peer.HeaderEvents))
	define[protocol.RemoteAnswer](m, "remote_answer",
		"How the call ended. Anything else is an `execution_error`, and so is more than 4 MiB.", nil)
	define[registration](m, "registration", "Tools that a process runs. It is sent again every third of `ttl_ms`.", headers(nil, traceparent))
	define[protocol.Registered](m, "registered", "The registration was taken.", nil)
	define[protocol.UnregisterRequest](m, "unregistration", "A process that goes.", headers(nil, traceparent))
	define[protocol.Unregistered](m, "unregistered", "The process is not there any more.", nil)
	define[protocol.Fault](m, "problem", "The operation was refused, as a whole.",
		headers([]string{errorCode, errorText}, errorCode, errorText))
	m.loosen()
	return m.all, m.err
}

// loosen removes from the required fields those that a sender may leave out.
func (m *messages) loosen() {
	m.all["remote_answer"].Payload["required"] = []any{"status"}
	def := within(m.all["registration"].Payload, "properties", "tools", "items")
	def["required"] = []any{"name", "description"}
	delete(within(def, "properties", "scopes"), "required")
}

// within returns the object at the end of a path.
func within(s map[string]any, path ...string) map[string]any {
	for _, name := range path {
		s, _ = s[name].(map[string]any)
	}
	return s
}

// storedRecord is an entry of the trail as it is stored, with the proof of its writer.
type storedRecord struct {
	protocol.AuditRecord
	Key  string `json:"key,omitempty" doc:"The role of the writer, w for a worker and d for a dispatcher, and its X25519 public half in 43 letters of base64url."`
	Macs string `json:"macs,omitempty" doc:"For each dispatcher 6 letters of its key's id and 22 of an HMAC over the record up to key, which only the two can compute."`
}
