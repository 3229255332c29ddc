package calls

import (
	"slices"
	"testing"

	"github.com/helve-dev/helve/protocol"
)

// TestCallIsListedOnce: a call that a worker still lists while its final record is on the trail
// is listed once, as ended.
func TestCallIsListedOnce(t *testing.T) {
	t.Parallel()
	open := []protocol.CallSummary{
		{CallID: "waits", State: protocol.StateQueued}, {CallID: "ends", State: protocol.StateRunning}, {CallID: "runs", State: protocol.StateRunning},
	}
	var got []string
	for _, c := range ends(open, protocol.CallSummary{CallID: "ends", State: protocol.StateDone}) {
		got = append(got, c.CallID+" "+c.State)
	}
	if want := []string{"waits queued", "runs running", "ends done"}; !slices.Equal(got, want) {
		t.Errorf("listed are %q, want %q", got, want)
	}
}
