package httpapi

import (
	"io"
	"net/http"
	"testing"
)

// TestMCPAddress: the address of MCP is served with a slash behind it, too, and so is that of
// each tool set.
func TestMCPAddress(t *testing.T) {
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "mcp"+r.PathValue("toolset")) })
	s := serve(t, &calls{execute: echo, get: getCall}, Options{MCP: answers})
	for path, want := range map[string]string{
		"/mcp": "mcp", "/mcp/": "mcp", "/mcp/code": "mcpcode", "/mcp/search/": "mcpsearch", "/mcp/x": "", "/mcp/code/x": "",
	} {
		if r := s.send("POST", path, "{}"); r.status == 200 != (want != "") || want != "" && r.body != want || want == "" && r.status != 404 {
			t.Errorf("%s = %d %s, want %q", path, r.status, r.body, want)
		}
	}
}
