package js

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
)

type noting struct{ tool.Tools }

func (noting) Call(_ context.Context, name string, _ json.RawMessage) (tool.Result, error) {
	return tool.Result{Value: json.RawMessage(`1`), Notes: []string{"it was cut"}}, nil
}

// TestNotesOfInnerCalls: the notes of a called tool are passed on with the result of
// the script that called it.
func TestNotesOfInnerCalls(t *testing.T) {
	p := &Ports{Call: &tool.Call{Tools: noting{}}}
	for range 7 {
		if _, err := p.Do(t.Context(), OpCall, json.RawMessage(`{"name":"read_file"}`)); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.Notes(); len(got) != 5 || !slices.Contains(got, "read_file: it was cut") {
		t.Errorf("Notes = %q, want five of read_file", got)
	}
}
