package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// headers are sent with every request of a client.
type headers map[string]string

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// mcpClient connects the SDK's client to a dispatcher.
func mcpClient(t *testing.T, url, version string, as headers, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	transport := &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: as}}
	session, err := c.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return session
}

func text(t *testing.T, res *mcp.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 {
		t.Fatalf("the result has %d contents, want one", len(res.Content))
	}
	return res.Content[0].(*mcp.TextContent).Text
}

var mcpVersions = []string{"2026-07-28", "2025-11-25", "2025-06-18"}

func TestMCP(t *testing.T) {
	t.Parallel()
	for _, version := range mcpVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			tenant := newTenant()
			c := mcpClient(t, shared.urls[0], version, headers{"Helve-Tenant": tenant, "Helve-User": "u1"}, nil)
			if got := c.InitializeResult().ProtocolVersion; got != version {
				t.Fatalf("protocol version %s was agreed on, want %s", got, version)
			}
			seen := map[string]*mcp.Tool{}
			for tl, err := range c.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				seen[tl.Name] = tl
			}
			if len(seen) < 100 || seen["read_file"] == nil || seen["read_file"].Annotations.ReadOnlyHint != true {
				t.Fatalf("%d tools are listed", len(seen))
			}
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "calculate", Arguments: map[string]any{"expression": "6*7"}})
			if err != nil || res.IsError || !strings.Contains(text(t, res), "42") {
				t.Fatalf("calculate: %v %+v", err, res)
			}
			t.Log(text(t, res), res.StructuredContent, res.Meta)
			var mu sync.Mutex
			_ = &mu
			_, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "nope"})
			t.Log(err)
			_ = time.Now
			_ = json.Valid
			_ = context.Background
		})
	}
}
