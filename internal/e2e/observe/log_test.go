package observe

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/e2e/system"
)

// TestLog: there is one line for each call that ran, with ids, outcome and times; no line
// contains arguments or results.
func TestLog(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2, Workers: 2, Config: func(c *config.Config) { c.Log.Level = "debug" }})
	const secret = "s3cr3t-value"
	trace := system.NewTrace()
	a := system.Execute(t, s.HTTP(0), "default", fmt.Sprintf(`{"trace_id": %[2]q, "context": {"user": "u1"}, "calls": [
		{"call_id": "good", "tool": "debug.echo", "tool_call_id": "%[1]s", "confirm_token": "%[1]s", "arguments": {"value": "%[1]s"}},
		{"call_id": "wrong-type", "tool": "debug.sleep", "arguments": {"ms": "%[1]s"}},
		{"call_id": "wrong-choice", "tool": "debug.fail", "arguments": {"how": "%[1]s"}},
		{"call_id": "ignored", "tool": "debug.echo", "arguments": {"value": 1, "password": "%[1]s"}},
		{"call_id": "written", "tool": "write_file", "arguments": {"path": "a.txt", "content": "%[1]s"}},
		{"call_id": "no-file", "tool": "read_file", "arguments": {"path": "%[1]s"}},
		{"call_id": "failed", "tool": "debug.fail", "arguments": {"how": "error", "message": "%[1]s"}},
		{"call_id": "fetched", "tool": "http_request", "arguments": {"url": "http://127.0.0.1:1/?key=%[1]s", "headers": {"Authorization": "Bearer %[1]s"}}},
		{"call_id": "guarded", "tool": "http_request", "arguments": {"url": "http://10.0.0.1/?key=%[1]s"}}
	]}`, secret, trace))
	s.HTTP(1).Send(t, "POST", "/v1/execute", `{"calls": "`+secret+`"}`, http.Header{"Helve-Tenant": {secret}})

	for _, e := range a.Results {
		lines := s.Logs.About(t, e.CallID)
		if len(lines) != 1 {
			t.Errorf("%v has %d log lines, want one: %v", e, len(lines), lines)
			continue
		}
		line := lines[0]
		level := "info"
		if e.Status == "success" { // whose record has the same fields
			level = "debug"
		}
		if line["level"] != level || line["trace_id"] != trace || line["tool"] != e.Tool || line["status"] != e.Status || line["ran"] == nil || line["total"] == nil {
			t.Errorf("log line %v, want level %s, trace, tool, status and durations", line, level)
		}
		if errorType, _ := line["error_type"].(string); errorType != e.ErrorType {
			t.Errorf("error_type = %q in the log, want %q", errorType, e.ErrorType)
		}
	}
	for line := range strings.Lines(s.Logs.String()) {
		if strings.Contains(line, secret) {
			t.Errorf("the log shows what was sent: %s", line)
		}
	}
}
