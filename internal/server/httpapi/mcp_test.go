package httpapi

import (
	"io"
	"net/http"
	"testing"
)

// TestMCPAddress: the address of MCP is served with a slash behind it, too, and nothing
// below it is.
func TestMCPAddress(t *testing.T) {
	answers := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "mcp") })
	s := serve(t, &calls{execute: echo, get: getCall}, Options{MCP: answers})
	for path, want := range map[string]int{"/mcp": 200, "/mcp/": 200, "/mcp/x": 404} {
		if r := s.send("POST", path, "{}"); r.status != want || (want == 200) != (r.body == "mcp") {
			t.Errorf("%s = %d %s, want %d", path, r.status, r.body, want)
		}
	}
}
