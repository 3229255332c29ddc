package upstream

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/server/mcp/published"
	"github.com/helve-dev/helve/tool"
)

// TestBlocks: what a server answers beside plain text is kept as blocks that every version
// of the protocol takes, with annotations and _meta, within the cap.
func TestBlocks(t *testing.T) {
	t.Parallel()
	c := &client{s: Server{Name: "s", MaxResultBytes: 100}}
	o := &offer{def: tool.Definition{Name: "s_t"}}
	noted := &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 0.5}
	size := int64(7)
	for name, tt := range map[string]struct {
		answer mcp.CallToolResult
		want   []string // nothing: no blocks
	}{
		"text":     {mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a"}}}, nil},
		"repeated": {mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: `{"n": 1.0}`}}, StructuredContent: `{"n":1}`}, nil},
		"apart": {
			mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "two"}}, StructuredContent: `{"n":1}`},
			[]string{`[{"type":"text","text":"two"}]`},
		},
		"a list": {
			mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "two"}}, StructuredContent: `[1]`},
			[]string{`"text":"two"`, `{"type":"text","text":"[1]"}`},
		},
		"marked": {
			mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a", Annotations: noted}}},
			[]string{`"audience":["user"]`, `"priority":0.5`},
		},
		"an image": {mcp.CallToolResult{
			Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte{1, 2, 3}, Meta: mcp.Meta{"k": "v"}, Annotations: noted}},
		}, []string{`"data":"AQID"`, `"k":"v"`, `"audience"`}},
		"a sound": {
			mcp.CallToolResult{Content: []mcp.Content{&mcp.AudioContent{MIMEType: "audio/wav", Data: []byte{1}}}},
			[]string{`"type":"audio"`, `"data":"AQ=="`},
		},
		"a link": {
			mcp.CallToolResult{Content: []mcp.Content{&mcp.ResourceLink{URI: "a://b", Description: "d\u202e", Size: &size}}},
			[]string{`"name":"a://b"`, `"description":"d"`, `"size":7`},
		},
		"a resource": {mcp.CallToolResult{Content: []mcp.Content{
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a://b", Blob: []byte{1}}},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a://c"}},
		}},
			[]string{`"blob":"AQ=="`, `"uri":"a://c","blob":""`}},
		"no resource": {mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{}}}, []string{`{"type":"text","text":"[resource]"}`}},
		"too large": {
			mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: make([]byte, 101)}}},
			[]string{`{"type":"text","text":"[image image/png, 101 bytes; left out, because the operator allows less (max_result_bytes)]"}`},
		},
		"large _meta": {mcp.CallToolResult{Content: []mcp.Content{
			&mcp.ImageContent{MIMEType: "image/png", Data: []byte{1}, Meta: mcp.Meta{"k": strings.Repeat("x", maxBlockMeta)}},
		}}, []string{`{"type":"image","mimeType":"image/png","data":"AQ=="}`}},
	} {
		for _, failed := range []bool{false, true} {
			tt.answer.IsError = failed
			res, err := c.result(o, &tt.answer)
			content := res.Content
			if failed {
				content = tool.AsError(err).Content
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if (len(content) == 0) != (tt.want == nil) {
				t.Errorf("%s: the blocks are %s, want %q", name, content, tt.want)
			}
			for _, part := range tt.want {
				if !strings.Contains(string(content), part) {
					t.Errorf("%s: %s lacks %s", name, content, part)
				}
			}
			if content == nil {
				continue
			}
			answer, err := json.Marshal(map[string]any{
				"jsonrpc": "2.0", "id": 1, "result": map[string]any{"content": content, "resultType": "complete"},
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
				if err := published.Check(version, "tools/call", answer); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// TestErrorsKeepTheirReason: an error whose reason is structured, or in the data of a
// protocol error, keeps it.
func TestErrorsKeepTheirReason(t *testing.T) {
	t.Parallel()
	c, o := &client{s: Server{Name: "s"}}, &offer{def: tool.Definition{Name: "s_t"}}
	for _, tt := range []struct {
		answer mcp.CallToolResult
		want   string
	}{
		{mcp.CallToolResult{IsError: true, StructuredContent: `{"code":7,"detail":"no such row"}`}, `failed: {"code":7,"detail":"no such row"}`},
		{mcp.CallToolResult{IsError: true}, "it gave no reason"},
		{
			mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "said"}}, StructuredContent: `{"code":7}`},
			"failed: said",
		},
	} {
		if _, err := c.result(o, &tt.answer); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v ended in %v, want %s", tt.answer, err, tt.want)
		}
	}
	for data, want := range map[string]string{`{"row":7}`: ` (data: {"row":7})`, ``: "", `null`: ""} {
		if got := dataOf(json.RawMessage(data)); got != want {
			t.Errorf("the data %s is said as %q, want %q", data, got, want)
		}
	}
}
