package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// TestMCPLinksToFiles: the result of a call that writes a file names it in metadata.files,
// and MCP clients of every version get a link to it after the text. The result of a call
// that reads has neither.
func TestMCPLinksToFiles(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		tenant := system.NewTenant()
		c := mcpclient.Connect(t, shared, version, mcpclient.AsUser1(tenant), nil)
		res, err := c.CallTool(system.Context(t), &mcp.CallToolParams{
			Name: "write_file", Arguments: json.RawMessage(`{"path":"out/a b.png","content":"12345"}`),
		})
		if err != nil || res.IsError {
			t.Fatalf("write_file: %v %+v", err, res)
		}
		link, _ := res.Content[len(res.Content)-1].(*mcp.ResourceLink)
		if len(res.Content) != 2 || link == nil || link.URI != "helve-file:///out/a%20b.png" || link.MIMEType != "image/png" ||
			link.Size == nil || *link.Size != 5 {
			t.Errorf("the contents are %+v, want a text and a link", res.Content)
		}
		read, err := c.ReadResource(system.Context(t), &mcp.ReadResourceParams{URI: link.URI})
		if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != "12345" {
			t.Errorf("the link leads to %+v, %v", read, err)
		}
		if list, err := c.ListResources(system.Context(t), nil); err != nil || len(list.Resources) != 1 || list.Resources[0].URI != link.URI {
			t.Errorf("the resources are %+v, %v", list, err)
		}
		other := mcpclient.Connect(t, shared, version, map[string]string{"Helve-Tenant": tenant, "Helve-User": "u2"}, nil)
		for _, uri := range []string{link.URI, "helve-file:///../u1/out/a%20b.png", "helve-file:///%2e%2e/u1/out/a%20b.png"} {
			if read, err := other.ReadResource(system.Context(t), &mcp.ReadResourceParams{URI: uri}); err == nil {
				t.Errorf("somebody else reads %s: %+v", uri, read)
			}
		}
		id, _ := res.Meta["dev.helve/call_id"].(string)
		reply := shared.HTTP(0).Ask(t, tenant, "calls.get", map[string]string{"call_id": id}, "")
		if want := `"files":[{"path":"out/a b.png","size":5,"type":"image/png"}]`; !strings.Contains(string(reply.Body), want) {
			t.Errorf("the element is %s, want %s in its metadata", reply.Body, want)
		}
		if res, _ := mcpclient.Call(t, c, "read_file", json.RawMessage(`{"path":"out/a b.png"}`)); len(res.Content) != 1 {
			t.Errorf("the result of a reading call has %d contents", len(res.Content))
		}
	})
}
