package alerttest

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/config"
)

// TestUpstreamDown: the MCP server, which is another Helve, does not run, and then does.
func TestUpstreamDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers": {"other": {"url": "http://`+addr+`/mcp", "risk": "low"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := launch(t, func(c *config.Config) { c.MCPFile, c.AllowHosts = file, []string{"127.0.0.1"} })
	p := start(t, s.url)
	p.until("HelveUpstreamDown", true)
	other := prepare(t, func(c *config.Config) { c.HTTP.Addr = addr })
	other.serve("127.0.0.1:0")
	other.run()
	other.work()
	p.until("HelveUpstreamDown", false)
}
