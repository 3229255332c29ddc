package engine

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestNewEntryRefusesABadSchema(t *testing.T) {
	def := returning(nil, nil).Definition
	def.Parameters = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1/x"}}}`)
	bad, err := tool.New(def, 0, func(context.Context, *tool.Call, json.RawMessage) (tool.Result, error) { return tool.Result{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewEntry(bad); err == nil || !strings.Contains(err.Error(), `tool "x": parameters`) {
		t.Errorf("NewEntry = %v, want an error that names the tool and its parameters", err)
	}
}

// TestLazyEntry: a schema is compiled by the first call, which fails where it is bad.
func TestLazyEntry(t *testing.T) {
	def := returning(nil, nil).Definition
	run := func(context.Context, *tool.Call, json.RawMessage) (tool.Result, error) { return tool.Result{}, nil }
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"count":{"type":"integer"}}}`:                     "",
		`{"type":"object","properties":{"count":{"$ref":"http://127.0.0.1/x"}}}`:          "parameters",
		`{"type":"object","properties":{"count":{"type":"string"}},"required":["count"]}`: "count",
	} {
		def.Parameters = json.RawMessage(schema)
		made, err := tool.New(def, 0, run)
		if err != nil {
			t.Fatal(err)
		}
		entry := NewLazyEntry(made)
		_, err = entry.Schema.Prepare([]byte(`{"count":3}`))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", schema, err, want)
		}
		if near := entry.Schema.Near("cuont"); (near == "count") != (want != "parameters") {
			t.Errorf("%s: the nearest parameter is %q", schema, near)
		}
	}
}

func TestJobBeforeAndAfter(t *testing.T) {
	j := job(`{"path":"a"}`)
	if d, run := j.Definition(), j.Invocation().Run; d != nil || run != nil {
		t.Errorf("before Execute: definition %v, bound %v, want neither", d, run != nil)
	}
	holding(t, running(nothing, mutating)).execute(t.Context(), j)
	if d := j.Definition(); d == nil || d.Name != "x" {
		t.Errorf("Definition() = %v, want that of x", d)
	}
	if inv := j.Invocation(); !inv.Mutates || inv.Idempotent || inv.Run == nil {
		t.Errorf("Invocation() = %+v, want one that mutates and can run", inv)
	}
}

func nothing(context.Context, *tool.Call, pathArgs) (any, error) { return nil, nil }
