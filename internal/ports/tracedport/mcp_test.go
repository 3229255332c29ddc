package tracedport

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMCPSpans: the call of an MCP server is a span, and only a listed host learns of it.
func TestMCPSpans(t *testing.T) {
	for _, tt := range []struct {
		address string
		told    bool
	}{
		{"", false},
		{"https://mcp.example/rpc", true},
		{"https://other.example/rpc", false},
		{"://", false},
	} {
		ctx, rec := recorded(t)
		_, parent, end := MCP([]string{"mcp.example"})(ctx, "files", tt.address, "read")
		end("timeout")
		span, attrs := onlySpan(t, rec)
		if (parent != "") != tt.told || tt.told && !strings.Contains(parent, span.SpanContext().SpanID().String()) {
			t.Errorf("the server at %q receives the traceparent %q, want one: %v", tt.address, parent, tt.told)
		}
		want := map[string]any{
			"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read", "helve.mcp.server": "files",
			"error.type": "timeout",
		}
		if diff := cmp.Diff(want, attrs); diff != "" || span.Name() != "tools/call read" {
			t.Errorf("the span %s has attributes that differ (-want +got):\n%s", span.Name(), diff)
		}
	}
}
