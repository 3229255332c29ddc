package remote

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func registers(tools ...string) *Registration {
	in := &Registration{Instance: "p1", TTL: time.Minute}
	for _, text := range tools {
		in.Tools = append(in.Tools, json.RawMessage(text))
	}
	return in
}

// TestSettled: a process decides neither the risk nor the group of its tools; it may only
// make them more dangerous.
func TestSettled(t *testing.T) {
	t.Parallel()
	operator := Operator(func(name string) (tool.Risk, string, bool) {
		return tool.Low, map[string]string{"crm.find": "crm"}[name], strings.HasPrefix(name, "crm.")
	})
	for _, tt := range []struct {
		operator    Operator
		name, more  string
		risk, group string
	}{
		{nil, "a", ``, "medium", "remote"},
		{nil, "a", `, "risk": "low", "group": "filesystem"`, "medium", "remote"},
		{nil, "a", `, "risk": "high"`, "high", "remote"},
		{operator, "a", `, "risk": "low"`, "medium", "remote"},
		{operator, "crm.find", ``, "low", "crm"},
		{operator, "crm.drop", `, "risk": "high", "group": "x"`, "low", "remote"},
	} {
		defs, err := registers(`{"name": "`+tt.name+`", "description": "d"`+tt.more+`}`).check(nil, tt.operator)
		if err != nil || string(defs[0].Risk) != tt.risk || defs[0].Group != tt.group {
			t.Errorf("%s%s is offered as %+v, %v, want %s in %s", tt.name, tt.more, defs, err, tt.risk, tt.group)
		}
	}
	before, err1 := registers(`{"name": "crm.find", "description": "d"}`).check(nil, nil)
	after, err2 := registers(`{"name": "crm.find", "description": "d"}`).check(nil, operator)
	other, err3 := registers(`{"name": "crm.find", "description": "d", "risk": "medium"}`).check(nil, nil)
	if err1 != nil || err2 != nil || err3 != nil || before[0].Hash == after[0].Hash || before[0].Hash == other[0].Hash {
		t.Error("a definition with another risk, asked for or set, is taken for the same")
	}
}

// TestCleaned: texts have no character that people cannot see, and names and values with
// one are refused.
func TestCleaned(t *testing.T) {
	t.Parallel()
	defs, err := registers(`{"name": "a", "description": " A\u202e\u001b[31mb\u200b.", "parameters": {"properties": {"p": {"type": "number", "description": "x\u2066y", "maximum": 12345678901234567890}}},
		"result_schema": {"type": "object", "title": "t\u200b"}}`).check(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := defs[0]; got.Description != "A[31mb." || !strings.Contains(string(got.Parameters), `"description":"xy"`) ||
		!strings.Contains(string(got.Parameters), "12345678901234567890") ||
		strings.Contains(string(got.ResultSchema), "\u200b") {
		t.Errorf("the definition is %+v", got)
	}
	for _, more := range []string{
		`, "parameters": {"properties": {"p\u200b": {}}}`, `, "parameters": {"properties": {"p": {"enum": ["a\u202e"]}}}`,
		`, "tags": ["a\u200b"]`, `, "category": "C\u001b"`,
	} {
		if _, err := registers(`{"name": "a", "description": "d"`+more+`}`).check(nil, nil); err == nil ||
			!strings.Contains(err.Error(), "cannot be seen") {
			t.Errorf("%s is registered: %v", more, err)
		}
	}
	if _, err := registers(`{"name": "a", "description": "\u200b\u202e"}`).check(nil, nil); err == nil {
		t.Error("a description of nothing is registered")
	}
}

// TestAnswersAreMarked: what a process answers is shown as coming from outside.
func TestAnswersAreMarked(t *testing.T) {
	t.Parallel()
	def := &tool.Definition{Name: "a", Mutates: true}
	res, err := readAnswer(def, []byte(`{"status": "success", "result": 1, "notes": ["1", "2", "3", "4", "5"]}`))
	if err != nil || len(res.Notes) != maxNotes || !strings.Contains(res.Notes[0], "comes from outside") || res.Notes[1] != "1" {
		t.Errorf("notes %q, %v", res.Notes, err)
	}
	_, err = readAnswer(def, []byte(`{"status": "error", "error_type": "not_found", "message": "no\u202e\n\nsuch"}`))
	if e := tool.AsError(err); e.Kind != tool.NotFound || !strings.HasPrefix(e.Msg, "no such (this text comes from outside") {
		t.Errorf("the error is %v", err)
	}
	for _, garbage := range []string{`{`, strings.Repeat(" ", maxAnswer+1)} {
		if _, err := readAnswer(def, []byte(garbage)); tool.AsError(err).Kind != tool.ExecutionError ||
			!strings.Contains(tool.AsError(err).Msg, "it ran") {
			t.Errorf("%.10q is %v", garbage, err)
		}
	}
}
