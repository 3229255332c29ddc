package mcp

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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
