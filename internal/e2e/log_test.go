package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestLog: one line tells of each call that ran, with ids, outcome and times;
// nothing a caller sent or got is in any line.
func TestLog(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{dispatchers: 2, workers: 2})
	const secret = "s3cr3t-value"
	trace := newTrace()
	a := execute(t, s.http(0), "default", fmt.Sprintf(`{"trace_id": %[2]q, "context": {"user": "u1"}, "calls": [
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
	s.http(1).send(t, "POST", "/v1/execute", `{"calls": "`+secret+`"}`, http.Header{"Helve-Tenant": {secret}})

	for _, e := range a.Results {
		lines := s.logs.of(t, e.CallID)
		if len(lines) != 1 {
			t.Errorf("%v has %d log lines, want one: %v", e, len(lines), lines)
			continue
		}
		line := lines[0]
		if line["level"] != "info" || line["trace_id"] != trace || line["tool"] != e.Tool || line["status"] != e.Status || line["ran"] == nil || line["total"] == nil {
			t.Errorf("log line %v, want level info, trace, tool, status and durations", line)
		}
		if errorType, _ := line["error_type"].(string); errorType != e.ErrorType {
			t.Errorf("error_type = %q in the log, want %q", errorType, e.ErrorType)
		}
	}
	for line := range strings.Lines(s.logs.String()) {
		if strings.Contains(line, secret) {
			t.Errorf("the log shows what was sent: %s", line)
		}
	}
}
