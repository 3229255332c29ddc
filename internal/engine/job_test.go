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

func nothing(context.Context, *tool.Call, pathArgs) (any, error) { return nil, nil } //nolint:nilnil // the result is null
