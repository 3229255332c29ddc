package api

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/provider"
	"github.com/helve-dev/helve/protocol"
)

// maxPrefix leaves room in a call_id for the index of the call in its message.
const maxPrefix = maxCallID - len("-9999")

// defaultWait is the time that execute waits for results if the request sets none.
const defaultWait = 30 * time.Second

// ParseExecute parses the body of execute. Its error, always a
// [*RequestError], concerns the request as a whole; an error in one call is
// in that call's Problem. The Tenant and the Traceparent of the request are not in the
// body and stay empty.
//
// The request keeps parts of body, so body must not be written to afterwards.
// Unknown fields are ignored with a note, unless they seem to say whose call it is, and null is
// the same as absent.
func ParseExecute(body []byte, limits Limits) (Execution, error) {
	p := parser{limits: limits.withDefaults()}
	p.text = body
	p.req.Wait = min(defaultWait, p.limits.Wait)
	if err := p.body(); err != nil {
		return Execution{}, err
	}
	return p.req, nil
}

// Execution is the content of an execute request: calls, or a model's message that
// contains them.
type Execution struct {
	dispatch.Request

	// Format is the format of the message; it is empty without a message.
	Format  provider.Format
	Message json.RawMessage
	// CallIDs, if set, is the prefix of the IDs of the message's calls: the first has
	// the call_id CallIDs-0. With the same prefix a message can be sent again, like a
	// call with its call_id.
	CallIDs string
	// Priority is that of the message's calls, as in [dispatch.Call].
	Priority string
	// Tell is set to answer the message also while calls of it wait.
	Tell bool

	// ignored are the notes about unknown members of the body, ignoredOf those about unknown
	// members of each call.
	ignored   []string
	ignoredOf [][]string
}

// parser fills a request while its scanner walks over the body.
type parser struct {
	scanner

	limits Limits
	req    Execution
	// given are the fields of the body with a value other than null.
	given fields
}

var (
	bodyFields = []string{
		"context", "trace_id", "calls", "wait_ms", "consent", "format", "message", "call_id_prefix", "priority", "callback",
	}
	contextFields = []string{"user", "agent", "conversation", "toolset", "timezone"}
)

func (p *parser) body() error {
	if len(p.text) > p.limits.Body {
		return p.limits.bodyTooLarge()
	}
	if !utf8.Valid(p.text) {
		return BadRequest("the body is not UTF-8")
	}
	if p.peek() != '{' {
		return p.not("the body", "an object")
	}
	var seen fields
	if err := p.object(func(name []byte) error {
		i := slices.Index(bodyFields, string(name))
		if i >= 0 && seen.add(i) {
			return BadRequest("the body has %q twice", name)
		}
		if err := p.unknownIn("the request", name, i, bodyFields); err != nil {
			return err
		}
		return p.bodyMember(i)
	}); err != nil {
		return err
	}
	if p.peek() != 0 || p.pos < len(p.text) {
		return p.unexpected("nothing after the object")
	}
	return p.complete()
}

// bodyMember parses the value of the body's field with that index.
func (p *parser) bodyMember(i int) error {
	field := ""
	if i >= 0 && p.peek() != 'n' {
		field = bodyFields[i]
		p.given.add(i)
	}
	switch field {
	case "context":
		return p.context()
	case "calls":
		return p.calls()
	case "callback":
		return p.callback()
	}
	raw, err := p.value()
	if err != nil {
		return err
	}
	switch field {
	case "trace_id":
		p.req.TraceID, err = textField(raw, field)
		if err == nil {
			err = TraceID(p.req.TraceID)
		}
	case "wait_ms":
		wait, ok := millis(raw)
		if !ok {
			return BadRequest("wait_ms must be a number of milliseconds, 0 or more")
		}
		p.req.Wait = min(wait, p.limits.Wait)
	case "consent":
		mode, err := textField(raw, field)
		if err != nil || mode != protocol.ConsentReturn && mode != protocol.ConsentWait && mode != protocol.ConsentTell {
			return BadRequest(`consent must be "return" or "wait", or "tell" with a message`)
		}
		p.req.ConsentWait, p.req.Tell = mode == protocol.ConsentWait, mode == protocol.ConsentTell
	case "format":
		p.req.Format, err = formatOf(raw)
	case "message":
		p.req.Message = raw
	case "priority":
		var text string
		if text, err = textField(raw, field); err == nil && text != interactive && text != protocol.PriorityBatch {
			err = BadRequest("priority must be %q or %q, but it is %.80q", interactive, protocol.PriorityBatch, text)
		}
		if text == protocol.PriorityBatch {
			p.req.Priority = text
		}
	case "call_id_prefix":
		if p.req.CallIDs, err = textField(raw, field); err == nil && !validName(p.req.CallIDs, maxPrefix) {
			err = badName(field, p.req.CallIDs, maxPrefix)
		}
	}
	return err
}

func (p *parser) context() error {
	if p.peek() != '{' {
		return p.not("context", "an object")
	}
	var seen fields
	return p.object(func(name []byte) error {
		raw, err := p.value()
		i := slices.Index(contextFields, string(name))
		if err == nil {
			err = p.unknownIn("context", name, i, contextFields)
		}
		if err != nil || i < 0 {
			return err
		}
		field := "context." + contextFields[i]
		if seen.add(i) {
			return BadRequest("%s is there twice", field)
		}
		if raw[0] == 'n' {
			return nil
		}
		text, err := textField(raw, field)
		if err != nil {
			return err
		}
		switch contextFields[i] {
		case "toolset": // an unknown one is an error of the calls, whatever its name looks like
		case "timezone":
			if err := validZone(text); err != nil {
				return err
			}
		default:
			if !validName(text, maxName) {
				return badName(field, text, maxName)
			}
		}
		*[]*string{&p.req.User, &p.req.Agent, &p.req.Conversation, &p.req.Toolset, &p.req.Timezone}[i] = text
		return nil
	})
}

// unknownIn notes a member that is not known (its index is below 0), or refuses it.
func (p *parser) unknownIn(part string, quoted []byte, i int, known []string) error {
	switch name := string(quoted); {
	case i >= 0:
	case owns(name):
		return BadRequest("%s", ownedElsewhere(name))
	case len(p.req.ignored) < notesMost:
		p.req.ignored = append(p.req.ignored, ignoredNote(part, name, known))
	}
	return nil
}

// complete validates the body as a whole.
func (p *parser) complete() error {
	given := func(field string) bool { return p.given.has(slices.Index(bodyFields, field)) }
	switch {
	case (given("format") || given("message")) && given("calls"):
		return BadRequest("format and message cannot be combined with calls; send one or the other")
	case given("message") && !given("format"):
		return BadRequest("format is missing; say which provider's model wrote the message: %s", messageFormats)
	case given("format") && !given("message"):
		return BadRequest("message is missing; send the model's own message beside format, or calls without format")
	case given("format"):
		return nil
	case p.req.Tell:
		return BadRequest(`consent "tell" requires message, whose model it tells; use "return" with calls`)
	case given("priority"):
		return BadRequest("priority requires message; give each of calls its own")
	case given("call_id_prefix"):
		return BadRequest("call_id_prefix requires message; give each of calls its own call_id")
	case len(p.req.Calls) == 0:
		return BadRequest(`calls is missing or empty; send at least one call, like {"calls": [{"tool": "get_current_time"}]}`)
	}
	return nil
}

// not consumes the next value and returns the error that it is not of the wanted type,
// or not even JSON.
func (p *parser) not(what, want string) error {
	raw, err := p.value()
	if err != nil {
		return err
	}
	return BadRequest("%s must be %s, not %s", what, want, kindOf(raw))
}
