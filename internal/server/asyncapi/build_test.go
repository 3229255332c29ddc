package asyncapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/server/api"
)

var update = flag.Bool("update", false, "write the document")

const file = "../../../docs/asyncapi.json"

func build(t *testing.T) *Document {
	t.Helper()
	d, err := Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDocument holds the stored document to the code.
func TestDocument(t *testing.T) {
	want, err := build(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the code says (%v): run go test ./internal/server/asyncapi -update, and read what changed", file, err)
	}
}

// inside are the subjects on which processes of Helve speak among themselves.
var inside = []string{
	"Answer", "As", "Awaits", "Dead", "Direct", "Find", "Fired", "Joined", "KeepLane", "Key", "Lane", "Once", "Parked", "Probe", "Refused",
	"Replay", "Seal", "Timer", "Verdict", "Written",
}

// TestSubjects tests that every subject that is built is in the document or in inside.
func TestSubjects(t *testing.T) {
	d := build(t)
	var described []string
	for _, c := range d.Channels {
		if c.Address != nil {
			described = append(described, token.ReplaceAllString(*c.Address, "x"))
		}
	}
	tree := subject.New(Prefix)
	known := map[string]bool{}
	for _, of := range []any{queue.SubjectsOf(tree), events.Subjects{Tree: tree}, store.Subjects{Tree: tree}, stream.Subjects{Tree: tree}} {
		subjects := reflect.ValueOf(of)
		kind := subjects.Type()
		for i := range kind.NumMethod() {
			name := kind.Method(i).Name
			if known[name] = true; slices.Contains(inside, name) || name == "API" { // TestOperations has those
				continue
			}
			if _, general := reflect.TypeFor[subject.Tree]().MethodByName(name); general || name == "ReadResult" {
				continue
			}
			args := slices.Repeat([]reflect.Value{reflect.ValueOf("x")}, subjects.Method(i).Type().NumIn())
			if got := subjects.Method(i).Call(args)[0].String(); !slices.Contains(described, got) {
				t.Errorf("%T.%s builds %s, which no channel has: add it to channels.go, or to inside if no other process may rely on it", of, name, got)
			}
		}
	}
	for _, name := range inside {
		if !known[name] {
			t.Errorf("no package builds a subject %s any more: take it out of inside", name)
		}
	}
}

// TestOperations: every row of the table is there, with its parameters and its roles.
func TestOperations(t *testing.T) {
	d := build(t)
	for _, row := range api.Operations() {
		op, ok := d.Operations[row.Name]
		if !ok || op.HTTP != row.Method+" "+row.Path || len(op.Roles) != len(row.Roles) {
			t.Errorf("%s is %+v, want its HTTP form and its %d roles", row.Name, op, len(row.Roles))
		}
		if row.Name == api.Events {
			continue
		}
		c := d.Channels["api."+row.Name]
		if c.Address == nil || *c.Address != "helve.v1.{tenant}.api."+row.Name || op.Channel.To != "#/channels/api."+row.Name ||
			len(c.Messages) != 1 {
			t.Errorf("%s is asked for at %v by %s", row.Name, c, op.Channel.To)
		}
		if op.Reply == nil || len(op.Reply.Messages) != 2 {
			t.Errorf("%s is answered %+v, want an answer or a problem", row.Name, op.Reply)
		}
		for _, ref := range c.Messages {
			m := d.Components.Messages[strings.TrimPrefix(ref.To, "#/components/messages/")]
			fields, _ := m.Payload["properties"].(Schema)
			for _, name := range row.Params {
				if fields[name] == nil {
					t.Errorf("%s lacks the parameter %s", row.Name, name)
				}
			}
		}
	}
}

// parsed is the document as a reader has it.
func parsed(t *testing.T) map[string]any {
	t.Helper()
	text, err := build(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestReferences: what is referred to is there, and what is there is referred to.
func TestReferences(t *testing.T) {
	root, used := parsed(t), map[string]bool{}
	walk("", root, func(at string, node map[string]any) {
		ref, ok := node["$ref"].(string)
		if !ok {
			return
		}
		used[ref] = true
		var to any = root
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			parent, _ := to.(map[string]any)
			to = parent[part]
		}
		if to == nil {
			t.Errorf("%s refers to %s, which is not there", at, ref)
		}
	})
	for kind, parts := range root["components"].(map[string]any) {
		for name := range parts.(map[string]any) {
			if ref := "#/components/" + kind + "/" + name; !used[ref] {
				t.Errorf("nothing refers to %s", ref)
			}
		}
	}
}

// TestSchemas: every payload compiles, and every field has a description.
func TestSchemas(t *testing.T) {
	known := map[string]bool{}
	for name, m := range build(t).Components.Messages {
		for part, s := range map[string]Schema{"headers": m.Headers, "payload": m.Payload} {
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			c := santhosh.NewCompiler()
			if err := c.AddResource("x.json", doc); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Compile("x.json"); err != nil && s != nil {
				t.Errorf("the %s of %s: %v", part, name, err)
			}
			walk(name, doc, func(at string, node map[string]any) {
				fields, _ := node["properties"].(map[string]any)
				for field, is := range fields {
					known[field], known[name+"."+field] = true, true
					if is, ok := is.(map[string]any); !ok || is["description"] == nil {
						t.Errorf("%s%s: %s has no description: add the tag doc", at, part, field)
					}
				}
			})
		}
	}
	for _, word := range slices.Sorted(maps.Keys(forms)) {
		if !known[word] {
			t.Errorf("no message has the field %s: take it out of forms", word)
		}
	}
}

// walk visits every object below node.
func walk(at string, node any, visit func(at string, node map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		visit(at, node)
		for key, value := range node {
			walk(at+"/"+key, value, visit)
		}
	case []any:
		for _, value := range node {
			walk(at, value, visit)
		}
	}
}
