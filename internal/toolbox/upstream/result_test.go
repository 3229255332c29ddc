package upstream

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/tool"
)

// TestResultsAreCut: whatever form a result has, it is within the cap, and
// reports that it was cut and its size.
func TestResultsAreCut(t *testing.T) {
	t.Parallel()
	c := &client{s: Server{Name: "s", MaxResultBytes: 40}}
	o := &offer{def: tool.Definition{Name: "s_t"}}
	text := func(s string) mcp.Content { return &mcp.TextContent{Text: s} }
	for _, tt := range []struct {
		answer mcp.CallToolResult
		value  string
		size   any
	}{
		{mcp.CallToolResult{}, `""`, nil},
		{mcp.CallToolResult{Content: []mcp.Content{text("a"), text("<b>")}}, `"a\n<b>"`, nil},
		{
			mcp.CallToolResult{StructuredContent: `{"a":"0123456789012345678901234567890123456789"}`},
			`"{\"a\":\"0123456789012345678901234567890123"`, 48,
		},
		{mcp.CallToolResult{
			Content: []mcp.Content{text("a"), &mcp.ImageContent{MIMEType: "image/png", Data: make([]byte, 90)}, &mcp.AudioContent{Data: []byte{0}}},
		},
			`{"content":[{"type":"text","text":"a"},{"type":"image","mime_type":"image/png","size":90,"left_out":true},{"type":"audio","size":1,"data":"AA=="}]}`, 137},
		{mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{}}}, `{"content":[{"type":"resource"}]}`, nil},
	} {
		res, err := c.result(o, &tt.answer)
		if err != nil || string(res.Value) != tt.value || res.Truncated != (tt.size != nil) || res.Metadata["size"] != tt.size ||
			!json.Valid(res.Value) {
			t.Errorf("result %s, truncated %v, %v, %v, want %s, %v", res.Value, res.Truncated, res.Metadata, err, tt.value, tt.size)
		}
		if len(res.Text) > 40 {
			t.Errorf("the text has %d bytes", len(res.Text))
		}
	}
}
