package worker_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

// TestRefusesWhatNeedsAPart: a worker without the part that a tool or a setting needs does
// not start, and names the part.
func TestRefusesWhatNeedsAPart(t *testing.T) {
	set := tool.NewSet("Test", "test")
	tool.Add(set, tool.Spec[struct{}, bool]{
		Name: "reach", Description: "Reaches out.", Risk: tool.Low, Mutates: false, Timeout: time.Second,
		Run: func(context.Context, *tool.Call, struct{}) (bool, error) { return true, nil },
	})
	for part, args := range map[string][]string{
		"javascript": {"--tools", t.TempDir()},
		"mcp":        {"--mcp", "servers.json"},
		"openapi":    {"--openapi", "apis.yaml"},
	} {
		var stderr bytes.Buffer
		code := worker.Command(t.Context(), append([]string{"worker", "--data", t.TempDir()}, args...), nil, io.Discard, &stderr, set)
		if code == 0 {
			t.Errorf("Command(%v) = 0, want a failure", args)
		}
		if said := stderr.String(); !strings.Contains(said, "worker/parts/"+part) || !strings.Contains(said, part+".Part()") {
			t.Errorf("Command(%v): %q does not name the part %s", args, said, part)
		}
	}
}
