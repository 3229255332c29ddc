package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// subjectsDocument is docs/asyncapi.json, as far as messages can be compared with it.
type subjectsDocument struct {
	Channels map[string]struct {
		Address  *string
		Messages map[string]any
		Stream   string `json:"x-helve-stream"`
	}
	Components struct {
		Messages map[string]struct{ Headers, Payload *form }
	}

	addresses map[string]*regexp.Regexp // by channel
}

// form is a schema, made strict: messages of Helve have no field that the schema does not
// name.
type form struct{ *jsonschema.Schema }

func (f *form) UnmarshalJSON(data []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("form.json", strict(doc)); err != nil {
		return err
	}
	f.Schema, err = c.Compile("form.json")
	return err
}

func strict(node any) any {
	object, ok := node.(map[string]any)
	if !ok {
		return node
	}
	for _, value := range object {
		strict(value)
	}
	if _, said := object["additionalProperties"]; !said && object["properties"] != nil && object["type"] == "object" {
		object["additionalProperties"] = false
	}
	return node
}

var parameter = regexp.MustCompile(`\\\{[a-z_]+\\\}`)

func readDescription(t *testing.T) *subjectsDocument {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/asyncapi.json")
	d := &subjectsDocument{addresses: map[string]*regexp.Regexp{}}
	if err == nil {
		err = json.Unmarshal(text, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range d.Channels {
		if c.Address != nil {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(*c.Address), `\{tool\}`, `.+`)
			d.addresses[name] = regexp.MustCompile(`^` + parameter.ReplaceAllString(pattern, `[^.]+`) + `$`)
		}
	}
	return d
}

// channelOf returns the channel with the subject, "" if there is none.
func (d *subjectsDocument) channelOf(subject string) string {
	for name, address := range d.addresses {
		if address.MatchString(subject) {
			return name
		}
	}
	return ""
}

// check compares a message with the named message of the document.
func (d *subjectsDocument) check(t *testing.T, name string, data []byte, header nats.Header) {
	t.Helper()
	m := d.Components.Messages[name]
	if m.Payload == nil {
		if len(data) > 0 {
			t.Errorf("%s has the body %.200s, want none", name, data)
		}
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err == nil {
		err = m.Payload.Validate(value)
	}
	if err != nil {
		t.Errorf("%s %.500s: %v", name, data, err)
	}
	heads := map[string]any{}
	for name := range header {
		heads[name] = header[name][0]
	}
	if m.Headers == nil {
		if len(heads) > 0 {
			t.Errorf("%s has the headers %v, want none", name, heads)
		}
		return
	}
	if err := m.Headers.Validate(heads); err != nil {
		t.Errorf("the headers of %s: %v", name, err)
	}
}

// among are the second tokens of the subjects for messages between processes of Helve.
var among = []string{
	"answer", "arm", "awaits", "dead", "direct", "due", "fired", "kept", "once", "parked", "probe", "refused", "replay", "schedule", "scheduled",
	"seal", "timer", "verdict", "written",
}

// TestAsyncAPI: the messages on NATS during calls of every kind match the document, in
// every field and header, and are stored in the streams that it names.
func TestAsyncAPI(t *testing.T) {
	t.Parallel()
	desc, tenant := readDescription(t), system.NewTenant()
	heard := make(chan *nats.Msg, 1<<12)
	sub, err := shared.Conn.ChanSubscribe("helve.v1."+tenant+".>", heard)
	if err := errors.Join(err, shared.Conn.Flush()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	exercise(t, desc, tenant)

	js, err := jetstream.New(shared.Conn)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	wanted := []string{
		"call", "result", "event", "cancel", "consent_request", "consent_decision", "audit", "remote", "progress", "api.execute",
	}
	missing := func(name string) bool { return seen[name] == 0 }
	defer func() {
		if i := slices.IndexFunc(wanted, missing); i >= 0 {
			t.Errorf("no %s was said, only %v", wanted[i], seen)
		}
	}()
	for msg := range comes(heard, func() bool { return !slices.ContainsFunc(wanted, missing) && len(heard) == 0 }) {
		if slices.Contains(among, strings.Split(msg.Subject, ".")[3]) {
			continue
		}
		name := desc.channelOf(msg.Subject)
		c, ok := desc.Channels[name]
		if !ok {
			t.Errorf("no channel has %s: %s", msg.Subject, msg.Data)
			continue
		}
		seen[name]++
		_, about, _ := strings.Cut(msg.Subject, ".audit.")
		if group := msg.Header.Get(queue.HeaderGroup); name == "result" && group != "" {
			desc.check(t, "results", []byte("{}"), msg.Header) // the body is not JSON
			continue
		}
		for message := range c.Messages { // there is one, except for groups
			if message == "results" {
				continue
			}
			for _, data := range audit.Records(about, msg.Data) {
				desc.check(t, message, data, msg.Header)
			}
		}
		stream, err := js.StreamNameBySubject(t.Context(), msg.Subject)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			err = nil
		}
		if err != nil || stream != c.Stream {
			t.Errorf("%s lies in %q, %v, want %q", msg.Subject, stream, err, c.Stream)
		}
	}
}

// comes yields messages as they arrive, until enough returns true or it is late.
func comes(heard <-chan *nats.Msg, enough func() bool) iter.Seq[*nats.Msg] {
	late := time.After(testtime.Patience())
	return func(yield func(*nats.Msg) bool) {
		for !enough() {
			select {
			case msg := <-heard:
				if !yield(msg) {
					return
				}
			case <-late:
				return
			}
		}
	}
}

// exercise makes calls of every kind, and compares the answers with the document.
func exercise(t *testing.T, desc *subjectsDocument, tenant string) {
	t.Helper()
	ask := func(operation, body, answer string) {
		t.Helper()
		r := shared.NATS().Ask(t, tenant, operation, nil, body)
		desc.check(t, answer, r.Body, nats.Header(r.Header))
		if (answer == "problem") != (r.Status != http.StatusOK) {
			t.Errorf("%s %s = %d %s, want the message %s", operation, body, r.Status, r.Body, answer)
		}
	}
	p := shared.RemoteProcess(t, tenant, "p1")
	say := func(q system.RemoteCall, text string) {
		desc.check(t, "remote_answer", []byte(text), nil)
		q.Respond(t, text)
	}
	p.Answer("crm.find", func(q system.RemoteCall) {
		for _, data := range []string{`{"percent": 50}`, `"half"`} {
			if err := p.Conn.Publish(q.Msg.Header.Get("Helve-Events"), []byte(data)); err != nil {
				t.Error(err)
			}
		}
		say(q, `{"status": "success", "result": [1], "text": "one"}`)
	})
	p.Answer("crm.fail", func(q system.RemoteCall) {
		say(q, `{"status": "error", "error_type": "network_error", "message": "No line."}`)
	})
	begun := make(chan system.RemoteCall, 1)
	p.Answer("crm.wait", func(q system.RemoteCall) { begun <- q })
	ask("remote.register", fmt.Sprintf(`{"instance": "p1", "ttl_ms": %d, "tools": [%s, %s, %s]}`, system.LongTTL,
		system.ReadingTool("crm.find", `, "group": "crm", "tags": ["x"], "risk": "low", "pool": "default", "scopes": {"hosts": ["example.com"]}`),
		system.ReadingTool("crm.fail", ""), system.ReadingTool("crm.wait", "")),
		"registered")
	system.UseTool(t, shared.NATS(), tenant, "crm.find", `{}`)
	system.UseTool(t, shared.NATS(), tenant, "crm.fail", `{}`)
	var waiting system.Element
	system.Eventually(t, "crm.wait is known", func() bool {
		waiting = system.Execute(t, shared.NATS(), tenant, system.AsUser(0, `{"tool": "crm.wait"}`)).Results[0]
		return waiting.ErrorType != "tool_not_found"
	})
	system.Receive(t, "a remote process has the call of crm.wait", begun)
	ask("calls.cancel", fmt.Sprintf(`{"call_id": %q}`, waiting.CallID), "answer")
	for i, word := range []string{"grant", "deny"} {
		e := system.Park(t, shared.NATS(), tenant,
			fmt.Sprintf(`{"call_id": "g%d", "tool_call_id": "m1", "tool": "debug.guarded", "arguments": {"key": "k%d"}}`, i, i))
		ask("consent.get", fmt.Sprintf(`{"consent_id": %q, "user": "u1"}`, e.ConsentID), "answer")
		ask("consent.decide",
			fmt.Sprintf(`{"consent_id": %q, "decision": %q, "comment": "so", "context": {"user": "u1"}}`, e.ConsentID, word), "answer")
		system.Settled(t, shared.NATS(), tenant, fmt.Sprintf("g%d", i))
	}
	ask("execute",
		system.AsUser(30000,
			`{"tool": "debug.blob", "arguments": {"bytes": 2000000}}, {"tool": "contract_steps", "arguments": {"n": 2}}, {"tool": "nope"}`),
		"answer")
	ask("tools.get", `{"name": "nope"}`, "problem")
	ask("execute", `{"calls": 5}`, "problem")
	ask("remote.unregister", `{"instance": "p1"}`, "unregistered")
}
