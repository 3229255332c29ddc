package e2e

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
)

// subjectsDocument is docs/asyncapi.json, as far as it can be held against messages.
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

// form is a schema, made strict: in what Helve itself says there is no field that the
// schema does not name.
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
	text, err := os.ReadFile("../../docs/asyncapi.json")
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

// channelOf is the channel with the subject, "" if there is none.
func (d *subjectsDocument) channelOf(subject string) string {
	for name, address := range d.addresses {
		if address.MatchString(subject) {
			return name
		}
	}
	return ""
}

// check holds a message to the one of that name.
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

// among are the second tokens of the subjects on which processes of Helve speak among
// themselves.
var among = []string{"awaits", "dead", "fired", "once", "parked", "probe", "refused", "replay", "seal", "timer", "verdict"}

// TestAsyncAPI: what is said on NATS while calls of every kind run is what the document
// says, field by field and header by header, and lies in the streams that it names.
func TestAsyncAPI(t *testing.T) {
	t.Parallel()
	desc, tenant := readDescription(t), newTenant()
	heard := make(chan *nats.Msg, 1<<12)
	sub, err := shared.nc.ChanSubscribe("helve.v1."+tenant+".>", heard)
	if err := errors.Join(err, shared.nc.Flush()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	exercise(t, desc, tenant)

	js, err := jetstream.New(shared.nc)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	wanted := []string{"call", "result", "event", "cancel", "consent_request", "consent_decision", "audit", "remote", "progress", "api.execute"}
	missing := func(name string) bool { return seen[name] == 0 }
	for msg := range comes(t, heard, func() bool { return !slices.ContainsFunc(wanted, missing) && len(heard) == 0 }) {
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
		for message := range c.Messages { // there is one
			desc.check(t, message, msg.Data, msg.Header)
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

// comes yields messages as they come, until enough is true.
func comes(t *testing.T, heard <-chan *nats.Msg, enough func() bool) iter.Seq[*nats.Msg] {
	late := time.After(patience)
	return func(yield func(*nats.Msg) bool) {
		for !enough() {
			select {
			case msg := <-heard:
				if !yield(msg) {
					return
				}
			case <-late:
				t.Error("not everything was said that was to be")
				return
			}
		}
	}
}

// exercise makes calls of every kind, and holds the answers to the document.
func exercise(t *testing.T, desc *subjectsDocument, tenant string) {
	t.Helper()
	ask := func(operation, body, answer string) {
		t.Helper()
		r := shared.nats().ask(t, tenant, operation, nil, body)
		desc.check(t, answer, r.body, nats.Header(r.header))
		if (answer == "problem") != (r.status != http.StatusOK) {
			t.Errorf("%s %s = %d %s, want the message %s", operation, body, r.status, r.body, answer)
		}
	}
	p := shared.outside(t, tenant, "p1")
	say := func(q question, text string) {
		desc.check(t, "remote_answer", []byte(text), nil)
		q.say(t, text)
	}
	p.answer("crm.find", func(q question) {
		for _, data := range []string{`{"percent": 50}`, `"half"`} {
			if err := p.nc.Publish(q.msg.Header.Get("Helve-Events"), []byte(data)); err != nil {
				t.Error(err)
			}
		}
		say(q, `{"status": "success", "result": [1], "text": "one"}`)
	})
	p.answer("crm.fail", func(q question) { say(q, `{"status": "error", "error_type": "network_error", "message": "No line."}`) })
	begun := make(chan question, 1)
	p.answer("crm.wait", func(q question) { begun <- q })
	ask("remote.register", fmt.Sprintf(`{"instance": "p1", "ttl_ms": %d, "tools": [%s, %s, %s]}`, long,
		reads("crm.find", `, "group": "crm", "tags": ["x"], "risk": "low", "pool": "default", "scopes": {"hosts": ["example.com"]}`), reads("crm.fail", ""), acts("crm.wait", "")), "registered")
	use(t, shared.nats(), tenant, "crm.find", `{}`)
	use(t, shared.nats(), tenant, "crm.fail", `{}`)
	var waiting element
	eventually(t, "crm.wait is known", func() bool {
		waiting = execute(t, shared.nats(), tenant, asUser(0, `{"tool": "crm.wait"}`)).Results[0]
		return waiting.ErrorType != "tool_not_found"
	})
	<-begun
	ask("calls.cancel", fmt.Sprintf(`{"call_id": %q}`, waiting.CallID), "answer")
	for i, word := range []string{"grant", "deny"} {
		e := park(t, shared.nats(), tenant, fmt.Sprintf(`{"call_id": "g%d", "tool_call_id": "m1", "tool": "debug.guarded", "arguments": {"key": "k%d"}}`, i, i))
		ask("consent.get", fmt.Sprintf(`{"consent_id": %q, "user": "u1"}`, e.ConsentID), "answer")
		ask("consent.decide", fmt.Sprintf(`{"consent_id": %q, "decision": %q, "comment": "so", "context": {"user": "u1"}}`, e.ConsentID, word), "answer")
		settled(t, shared.nats(), tenant, fmt.Sprintf("g%d", i))
	}
	ask("execute", asUser(30000, `{"tool": "debug.blob", "arguments": {"bytes": 2000000}}, {"tool": "contract_steps", "arguments": {"n": 2}}, {"tool": "nope"}`), "answer")
	ask("tools.get", `{"name": "nope"}`, "problem")
	ask("execute", `{"calls": 5}`, "problem")
	ask("remote.unregister", `{"instance": "p1"}`, "unregistered")
}
