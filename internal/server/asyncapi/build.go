package asyncapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/server/api"
)

// Prefix is the default prefix of all subjects, see nats.prefix.
const Prefix = "helve.v1"

const about = `Helve takes the tool calls of AI agents, runs them on a fleet of workers, and answers each with exactly one result.

The document is written from Helve's side: where it receives, you send, and the other way round. Bodies are UTF-8 JSON, and readers ignore fields they do not know. Operations are requests on ` + "`" + Prefix + `.TENANT.api.OPERATION` + "`" + `; their bodies and answers are those of HTTP, with the parameters of path and query as fields. A refused request is answered with the headers of NATS micro services.

The permissions for subjects are written by ` + "`helve nats-auth`" +
	` (docs/nats-auth.md). How a process runs tools is in docs/remote-workers.md.`

// Build returns the document. It fails if a Go type has no schema.
func Build() (*Document, error) {
	all, err := everyMessage()
	if err != nil {
		return nil, err
	}
	d := &Document{
		AsyncAPI: "3.0.0", DefaultContentType: "application/json",
		Info: Info{Title: "Helve on NATS", Version: "1.0.0", Description: about},
		Servers: map[string]Server{
			"nats": {Host: "127.0.0.1:4222", Protocol: "nats", Description: "What `helve up` starts; a cluster of one's own in production."},
		},
		Channels:   map[string]Channel{},
		Operations: map[string]Operation{},
		Components: Components{Messages: all, Parameters: parameters},
	}
	d.Channels[inbox] = Channel{
		Description: "The reply subject of a request, which its sender chose. The prefix of Helve's own subjects is not answered to.",
		Messages:    listed("answer", "problem", "registered", "unregistered", "remote_answer"),
	}
	subjects := queue.NewSubjects(Prefix)
	for _, c := range channels(subjects) {
		d.channel(c)
	}
	for _, op := range api.Operations() {
		d.operation(subjects, op)
	}
	return d, nil
}

func listed(messages ...string) map[string]Ref {
	refs := map[string]Ref{}
	for _, name := range messages {
		refs[name] = toMessage(name)
	}
	return refs
}

func (d *Document) channel(c channel) {
	d.Channels[c.name] = Channel{
		Address: &c.address, Description: c.means, Parameters: parametersOf(c.address), Messages: listed(c.messages...), Stream: c.stream,
	}
	op := Operation{Action: c.action, Channel: onChannel(c.name), Description: c.does, Bindings: bindings(c.queue)}
	if c.answer != "" {
		op.Reply = &Reply{Channel: onChannel(inbox), Messages: []Ref{said(inbox, c.answer)}}
	}
	d.Operations[c.name] = op
}

func bindings(name string) *Bindings {
	if name == "" {
		return nil
	}
	b := new(Bindings)
	b.NATS.Queue, b.NATS.Version = name, "0.1.0"
	return b
}

// bodies are the requests and answers that only NATS has; the others are described for
// HTTP.
var bodies = map[string]struct{ request, answer string }{
	"remote.register":   {"registration", "registered"},
	"remote.unregister": {"unregistration", "unregistered"},
}

// operation adds a row of the table. The row of events is a subject to subscribe to.
func (d *Document) operation(s queue.Subjects, row api.Operation) {
	op := Operation{HTTP: row.Method + " " + row.Path}
	for _, role := range row.Roles {
		op.Roles = append(op.Roles, string(role))
	}
	if row.Name == api.Events {
		op.Action, op.Channel, op.Description = "send", onChannel("event"), "On NATS events are not asked for: listen to the subject."
		delete(d.Operations, "event")
		d.Operations[row.Name] = op
		return
	}
	request, answer := "request."+row.Name, "answer"
	if b, ok := bodies[row.Name]; ok {
		request, answer = b.request, b.answer
	} else {
		d.Components.Messages[request] = requestOf(row)
	}
	name := "api." + row.Name
	address := s.API("{tenant}", row.Name)
	d.Channels[name] = Channel{
		Address:     &address,
		Description: "Requests for " + row.Name + ".",
		Parameters:  parametersOf(address),
		Messages:    listed(request),
	}
	op.Action, op.Channel, op.Bindings = "receive", onChannel(name), bindings(peer.ServiceName)
	op.Description = fmt.Sprintf("The same as `%s`, as a request.", op.HTTP)
	op.Reply = &Reply{Channel: onChannel(inbox), Messages: []Ref{said(inbox, answer), said(inbox, "problem")}}
	d.Operations[row.Name] = op
}

// requestOf returns the body of an operation: its parameters and, if it has a body over
// HTTP, that body's fields.
func requestOf(row api.Operation) Message {
	fields := Schema{}
	var required []string
	for _, name := range row.Params {
		field := Schema{"type": []string{"string", "null"}, "description": "The parameter of that name."}
		if slices.Contains(row.Numbers, name) {
			field["type"] = []string{"string", "number", "null"}
		}
		if slices.Contains(row.Flags, name) {
			field["type"] = []string{"string", "boolean", "null"}
		}
		if strings.Contains(row.Path, "{"+name+"}") {
			field["type"] = "string"
			required = append(required, name)
		}
		fields[name] = field
	}
	m := Message{
		Description: fmt.Sprintf("What `%s` takes. An empty body is {}.", row.Name),
		Headers:     headers(nil, traceparent),
		Payload:     Schema{"type": "object", "properties": fields},
	}
	if row.Body {
		m.Description = fmt.Sprintf("What `%s` takes: the body of `%s %s`, with the parameters as fields.", row.Name, row.Method, row.Path)
		m.Payload["additionalProperties"] = true
	}
	if required != nil {
		m.Payload["required"] = required
	}
	return m
}
