package mcpclient

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// Call calls a tool whose answer has one text.
func Call(t *testing.T, c *mcp.ClientSession, name string, args any) (*mcp.CallToolResult, string) {
	t.Helper()
	res, err := c.CallTool(system.Context(t), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res, Text(t, res)
}

// Text returns the only text of a result; links to files that the call wrote may follow it.
func Text(t *testing.T, res *mcp.CallToolResult) string {
	t.Helper()
	if len(res.Content) == 0 {
		t.Fatal("the result is empty, want a text")
	}
	for _, part := range res.Content[1:] {
		if _, ok := part.(*mcp.ResourceLink); !ok {
			t.Fatalf("a %T follows the text of the result, want links to files", part)
		}
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("the result is a %T, want a text", res.Content[0])
	}
	return text.Text
}
