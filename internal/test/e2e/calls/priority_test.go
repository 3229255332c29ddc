package calls

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// TestPriorityOfEveryDoor: a call of priority batch goes to a lane of such calls, also
// through MCP or a model's message.
func TestPriorityOfEveryDoor(t *testing.T) {
	t.Parallel()
	lane := func(t *testing.T, tenant string) func() string {
		t.Helper()
		sub, err := shared.Conn.SubscribeSync("helve.v1." + tenant + ".>")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = sub.Unsubscribe() })
		if err := shared.Conn.Flush(); err != nil {
			t.Fatal(err)
		}
		return func() string {
			t.Helper()
			for {
				msg, err := sub.NextMsg(testtime.Patience())
				if err != nil {
					t.Fatal(err)
				}
				if kind := strings.Split(msg.Subject, ".")[3]; kind == "call" || kind == "direct" { // queued, or sent to a worker directly
					return msg.Subject
				}
			}
		}
	}
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		tenant := system.NewTenant()
		next := lane(t, tenant)
		c := mcpclient.Connect(t, shared, version, mcpclient.AsUser1(tenant), nil)
		for _, priority := range []string{"batch", "interactive"} {
			params := &mcp.CallToolParams{Name: "debug.echo", Arguments: map[string]any{"value": 1}, Meta: mcp.Meta{"dev.helve/priority": priority}}
			if _, err := c.CallTool(system.Context(t), params); err != nil {
				t.Fatal(err)
			}
			if got := next(); strings.Contains(got, "~b") != (priority == "batch") {
				t.Errorf("a call of priority %s was queued as %s", priority, got)
			}
		}
	})
	for _, priority := range []string{"batch", "interactive"} {
		tenant := system.NewTenant()
		next := lane(t, tenant)
		system.Execute(t, shared.HTTP(0), tenant, `{"format": "openai", "priority": "`+priority+
			`", "message": {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "debug_echo", "arguments": "{\"value\":1}"}}]}}`)
		if got := next(); strings.Contains(got, "~b") != (priority == "batch") {
			t.Errorf("a message of priority %s was queued as %s", priority, got)
		}
	}
}
