package asyncapi

import (
	"errors"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/remote"
	"github.com/helve-dev/helve/tool"
)

// Headers that NATS and its micro services know.
const (
	traceparent = "traceparent"
	messageID   = "Nats-Msg-Id"
	errorCode   = "Nats-Service-Error-Code"
	errorText   = "Nats-Service-Error"
)

// What is written by hand, or read field by field, has its form here.
type (
	event struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Time    string `json:"time"`
		TraceID string `json:"trace_id"`
		CallID  string `json:"call_id"`
		Tool    string `json:"tool"`
		Data    any    `json:"data"`
	}
	registration struct {
		Instance string       `json:"instance"`
		TTL      int          `json:"ttl_ms"`
		Tools    []definition `json:"tools"`
	}
	definition struct {
		tool.Definition

		ArgsSchema any `json:"args_schema,omitempty"`
	}
	registered struct {
		Instance  string   `json:"instance"`
		TTL       int      `json:"ttl_ms"`
		Heartbeat int      `json:"heartbeat_ms"`
		Tools     []string `json:"tools"`
	}
	unregistration struct {
		Instance string `json:"instance"`
	}
	unregistered struct {
		Instance     string `json:"instance"`
		Unregistered bool   `json:"unregistered"`
	}
	problem struct {
		Type    string `json:"error_type"`
		Message string `json:"message"`
	}
)

// messages are defined one by one.
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

// everyMessage is all but the requests, which the table of operations makes.
func everyMessage() (map[string]Message, error) {
	m := &messages{all: map[string]Message{
		"cancel":   {Description: "The call is to stop. There is no body."},
		"progress": {Description: "The data of one progress event of the call: any JSON value of at most 16 KiB.", Payload: Schema{"description": "Any JSON value."}},
		"answer": {
			Description: "The answer to an operation, the same JSON as over HTTP. It has no header " + errorCode + ".",
			Payload:     Schema{"type": "object", "additionalProperties": true},
		},
	}}
	define[bus.Envelope](m, "call", "A call on its way to a worker. Programs outside ask `execute`, which makes it.", headers(nil, traceparent, messageID))
	define[bus.Element](m, "result", "How a call ended: a result element, as `execute` and `calls.get` answer it.", nil)
	define[event](m, "event", "One step of a call.", nil)
	define[consent.Request](m, "consent", "What a person is asked. Show `arguments` or `preview` as text and never as markup.", headers([]string{messageID}, messageID))
	define[consent.Request](m, "decision", "What became of a request: the request again, with `decision`.", headers([]string{messageID}, messageID))
	define[audit.Record](m, "record", "One entry of the audit trail. It holds no arguments and no secret.", nil)
	define[remote.Question](m, "remote_call", "A call for a process outside: validated, authorised, fenced and on record already.", headers([]string{bus.HeaderEvents}, traceparent, bus.HeaderEvents))
	define[remote.Answer](m, "remote_answer", "How the call ended. Anything else is an `execution_error`, and so is more than 4 MiB.", nil)
	define[registration](m, "registration", "Tools that a process runs. It is sent again every third of `ttl_ms`.", headers(nil, traceparent))
	define[registered](m, "registered", "The registration was taken.", nil)
	define[unregistration](m, "unregistration", "A process that goes.", headers(nil, traceparent))
	define[unregistered](m, "unregistered", "The process is not there any more.", nil)
	define[problem](m, "problem", "The operation was refused, as a whole.", headers([]string{errorCode, errorText}, errorCode, errorText))
	m.loosen()
	return m.all, m.err
}

// loosen leaves out of the required fields what a sender may leave out.
func (m *messages) loosen() {
	m.all["remote_answer"].Payload["required"] = []any{"status"}
	def := within(m.all["registration"].Payload, "properties", "tools", "items")
	def["required"] = []any{"name", "description"}
	delete(within(def, "properties", "scopes"), "required")
}

// within is the object at the end of a path.
func within(s map[string]any, path ...string) map[string]any {
	for _, name := range path {
		s, _ = s[name].(map[string]any)
	}
	return s
}
