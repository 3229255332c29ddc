package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/identity"
)

// TestAnswerNotes: notes are a second text beside the result, and not part of it.
func TestAnswerNotes(t *testing.T) {
	res := Outcome{CallID: "c1", Status: success, Result: []byte(`"text"`), Notes: []string{"one", "two"}}.answer().result()
	if len(res.Content) != 2 {
		t.Fatalf("%d contents, want the text and the notes", len(res.Content))
	}
	for i, want := range []string{"text", "Notes:\n- one\n- two"} {
		if got, _ := res.Content[i].(*sdk.TextContent); got == nil || got.Text != want {
			t.Errorf("content %d is %+v, want %q", i, res.Content[i], want)
		}
	}
	if res := (Outcome{Status: success, Result: []byte(`1`)}).answer().result(); len(res.Content) != 1 {
		t.Errorf("a result without notes has %d contents", len(res.Content))
	}
}

// TestContent: the blocks of a result are sent as they are, with annotations and _meta, by
// the SDK and without it; structured content is kept, and a result that breaks its own
// schema is an error that says so.
func TestContent(t *testing.T) {
	t.Parallel()
	const (
		blocks = `[{"type":"text","text":"a","annotations":{"audience":["user"]}},{"type":"image","mimeType":"image/png","data":"AQID","_meta":{"k":1}},` +
			`{"type":"audio","mimeType":"audio/wav","data":"AQID"},{"type":"resource_link","uri":"a://b","name":"n"},{"type":"resource","resource":{"uri":"a://c","blob":""}}]`
		described = `{"content":[{"type":"text","text":"a"}]}`
	)
	s := &stage{outcomes: map[string]Outcome{
		"blocks": {
			Status:  success,
			Result:  json.RawMessage(described),
			Text:    "a\n[image]",
			Content: json.RawMessage(blocks),
			Notes:   []string{"n"},
		},
		"both": {
			Status:  success,
			Result:  json.RawMessage(`{"n":1}`),
			Text:    "two\n{\"n\":1}",
			Content: json.RawMessage(`[{"type":"text","text":"two"}]`),
		},
		"object": {Status: success, Result: json.RawMessage(`{"n":12345678901234567890}`)},
		"list":   {Status: success, Result: json.RawMessage(`[1]`)},
		"failed": {Status: "error", ErrorType: "execution_error", Message: "m", Content: json.RawMessage(blocks)},
		"broken": {Status: success, Structured: true, Result: json.RawMessage(`{"n":"x"}`), Metadata: Metadata{ResultProblem: "n is text"}},
		"odd":    {Status: success, Result: json.RawMessage(`1`), Content: json.RawMessage(`{}`)},
		"referenced": {Status: success, Content: json.RawMessage(blocks), Text: "a", Ref: &struct {
			Size int64 `json:"size"`
		}{9}},
	}}
	ask := s.open(t, identity.Principal{})
	for name, want := range map[string][]string{
		"blocks": {
			`"type":"image"`, `"data":"AQID"`, `"k":1`, `"audience":["user"]`, `"type":"audio"`, `"uri":"a://b"`, `"blob":""`, "Notes:",
		},
		"both":       {`"text":"two"`, `"structuredContent":{"n":1}`},
		"object":     {`"structuredContent":{"n":12345678901234567890}`},
		"list":       {`"text":"[1]"`},
		"failed":     {`"isError":true`, `"text":"execution_error: m"`, `"type":"image"`},
		"broken":     {`"isError":true`, "output schema (n is text)", `{\"n\":\"x\"}`},
		"odd":        {`"text":"1"`},
		"referenced": {`"type":"image"`},
	} {
		for _, version := range Versions() {
			for _, accept := range []string{"application/json, text/event-stream", "*/*"} { // the SDK answers the second
				_, text := ask(version, "tools/call", "1", `"name":"`+name+`"`, "Mcp-Name", name, "Accept", accept)
				for _, part := range want {
					if !strings.Contains(text, part) {
						t.Errorf("%s, %s, %s: %s lacks %s", name, version, accept, text, part)
					}
				}
				structured := name == "both" || name == "object"
				if strings.Contains(text, "structuredContent") != structured || name == "failed" && strings.Contains(text, `"text":"a"`) {
					t.Errorf("%s, %s: %s", name, version, text)
				}
			}
		}
	}
}
