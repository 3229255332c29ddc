package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestUnknownMembers: a member that nobody knows is named in the notes of the results, with
// the nearest known name.
func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	req, err := ParseExecute([]byte(`{"wait":5,"zebra":1,"context":{"locale":"de"},"calls":[{"tool":"a","args":{}},{"tool":"b"}]}`), Limits{})
	if err != nil || req.Calls[0].Problem != nil {
		t.Fatalf("%v, %v", err, req.Calls)
	}
	results := []json.RawMessage{
		json.RawMessage(`{"status":"success","notes":["one, \"two\""],"result":{"notes":3}}`), json.RawMessage(`{"status":"pending"}`),
	}
	req.annotate(results)
	for i, want := range [][]string{
		{
			"one, \"two\"", "'wait', which was ignored; did you mean 'wait_ms'?", "'zebra', which was ignored; it has context,",
			"context has the unknown member 'locale'", "'args', which was ignored; did you mean 'arguments'?",
		},
		{"'wait'", "'zebra'", "'locale'"},
	} {
		var el struct {
			Status string          `json:"status"`
			Notes  []string        `json:"notes"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(results[i], &el); err != nil || el.Status == "" {
			t.Fatalf("%v: %s", err, results[i])
		}
		if len(el.Notes) != len(want) || i == 0 && string(el.Result) != `{"notes":3}` {
			t.Errorf("element %d is %s", i, results[i])
			continue
		}
		for n, text := range want {
			if !strings.Contains(el.Notes[n], text) {
				t.Errorf("note %d of element %d is %q, want %q in it", n, i, el.Notes[n], text)
			}
		}
	}
}

// TestNoteOfManyMembers: however many members are unknown, an element has five notes.
func TestNoteOfManyMembers(t *testing.T) {
	t.Parallel()
	body := `{"calls":[{"tool":"a"` + strings.Repeat(`,"z`+strings.Repeat("x", 300)+`":1`, 1000) + `}]}`
	req, err := ParseExecute([]byte(body), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	results := []json.RawMessage{json.RawMessage(`{"notes":["1","2","3"]}`)}
	if req.annotate(results); strings.Count(string(results[0]), "which was ignored") != 2 || len(results[0]) > 1000 {
		t.Errorf("the element is %s", results[0])
	}
}

// TestMisspeltOwner: a member that seems to say whose call it is is not ignored.
func TestMisspeltOwner(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"contxt":{"user":"u1"},"calls":[{"tool":"a"}]}`, `{"Context":{"user":"u1"},"calls":[{"tool":"a"}]}`,
		`{"user":"u1","calls":[{"tool":"a"}]}`, `{"context":{"usr":"u1"},"calls":[{"tool":"a"}]}`,
		`{"context":{"user_id":"u1"},"calls":[{"tool":"a"}]}`, `{"context":{"tenat":"acme"},"calls":[{"tool":"a"}]}`,
		`{"context":{"tenant":"acme"},"calls":[{"tool":"a"}]}`, `{"context":{"agnet":"a"},"calls":[{"tool":"a"}]}`,
		`{"context":{"sessionId":"s"},"calls":[{"tool":"a"}]}`,
	} {
		if _, err := ParseExecute([]byte(body), Limits{}); err == nil || !strings.Contains(err.Error(), "whose call") {
			t.Errorf("%s: %v", body, err)
		}
	}
	req, err := ParseExecute([]byte(`{"calls":[{"tool":"a","usr":"u1"},{"tool":"b","content":"x"}]}`), Limits{})
	if err != nil || req.Calls[0].Problem == nil || !strings.Contains(req.Calls[0].Problem.Msg, "'usr'") || req.Calls[1].Problem != nil {
		t.Errorf("%v, %+v", err, req.Calls)
	}
}

// TestMisspeltMemberOfABody: the bodies of other operations are refused for a name that is
// close to a field that is not given; what is far from all is ignored.
func TestMisspeltMemberOfABody(t *testing.T) {
	t.Parallel()
	type base struct {
		Remember string `json:"remember"`
	}
	type body struct {
		base

		Decision string `json:"decision"`
		Comment  string `json:"comment,omitempty"`
	}
	for text, want := range map[string]string{
		`{"decision":"grant","rember":"always"}`:                       "did you mean 'remember'?",
		`{"decision":"grant","Decision":"deny"}`:                       "",
		`{"decision":"grant","remember":"once","remembered":"always"}`: "",
		`{"decision":"grant","zebra":1}`:                               "",
	} {
		err := parseBody([]byte(text), new(body), "{}")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if names := fieldNames(reflect.TypeFor[body]()); !slices.Equal(names, []string{"remember", "decision", "comment"}) {
		t.Errorf("fields %q", names)
	}
}

// TestRoutedParameters: every parameter of an operation with a body may be a member of it.
func TestRoutedParameters(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		for _, name := range op.Params {
			if op.Body && !slices.Contains(routed, name) {
				t.Errorf("%s has the parameter %q, which is not in routed", op.Name, name)
			}
		}
	}
}
