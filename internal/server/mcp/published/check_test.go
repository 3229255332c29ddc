package published

import (
	"strings"
	"testing"
)

// TestCheck: what a version allows is accepted, and what only another one allows is not.
func TestCheck(t *testing.T) {
	t.Parallel()
	const open = `{"jsonrpc":"2.0","id":1,"result":{`
	list := open + `"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"v":true}}}],"ttlMs":1,"cacheScope":"private","resultType":"complete"}}`
	for _, tt := range []struct{ version, method, message, want string }{
		{"2026-07-28", "tools/list", list, ""},
		{"2025-11-25", "tools/list", list, "ListToolsResult"},
		{"2025-06-18", "tools/list", list, "ListToolsResult"},
		{"2025-06-18", "tools/list", strings.Replace(list, "true", "{}", 1), ""},
		{"2025-06-18", "tools/call", open + `"content":[{"type":"image","mimeType":"image/png","data":"AA=="}]}}`, ""},
		{"2025-06-18", "tools/call", open + `"content":[{"type":"image","data":"AA=="}]}}`, "CallToolResult"},
		{"2025-06-18", "tools/call", open + `"content":[],"structuredContent":[1]}}`, "CallToolResult"},
		{"2026-07-28", "tools/call", open + `"content":[],"structuredContent":[1],"resultType":"complete"}}`, ""},
		{"2026-07-28", "tools/call", open + `"content":[]}}`, "resultType"},
		{"2025-11-25", "ping", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}`, ""},
		{"2025-11-25", "ping", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, "JSONRPCErrorResponse"},
		{"2025-06-18", "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, ""},
		{"2025-06-18", "", `{"jsonrpc":"2.0","method":"notifications/made_up"}`, "ServerNotification"},
		{
			"2025-11-25", "",
			`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`,
			"",
		},
		{"1999-01-01", "", `{}`, "not published"},
		{"2025-11-25", "", `[]`, "not an object"},
	} {
		err := Check(tt.version, tt.method, []byte(tt.message))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %v, want %q", tt.version, tt.message, err, tt.want)
		}
	}
}
