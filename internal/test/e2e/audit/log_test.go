package audit

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// TestLog: there is one line for each call that ran, with ids, outcome and times; no line
// contains arguments or results.
func TestLog(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{
		Dispatchers: 2,
		Workers:     2,
		Groups:      []string{"webFetch"},
		Config:      func(c *config.Config) { c.Log.Level = "debug" },
	})
	const secret = "s3cr3t-value"
	trace := system.NewTrace()
	system.PutAgent(t, s.HTTP(0), "default", "a1", `{"groups": ["diagnostics", "webFetch", "filesystem"]}`)
	system.Eventually(t, "both workers know the record of the agent", func() bool {
		many := strings.Repeat(`{"tool": "debug.sleep", "arguments": {"ms": 20}}, `, 15)
		a := system.Execute(t, s.HTTP(0), "default", `{"context": {"agent": "a1"}, "calls": [`+strings.TrimSuffix(many, ", ")+`]}`)
		return !slices.ContainsFunc(a.Results, func(e system.Element) bool { return e.Status != "success" })
	})
	a := system.Execute(t, s.HTTP(0), "default", fmt.Sprintf(`{"trace_id": %[2]q, "context": {"user": "u1", "agent": "a1"}, "calls": [
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
		if line["level"] != level || line["trace_id"] != trace || line["tool"] != e.Tool || line["status"] != e.Status {
			t.Errorf("log line %v, want level %s, trace, tool and status", line, level)
		}
		if line["tenant"] != "default" || line["user"] != "u1" || line["agent"] != "a1" || line["pool"] != "default" {
			t.Errorf("log line %v, want the tenant default, user u1, agent a1 and pool default", line)
		}
		wantTimes(t, line, 0)
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

// wantTimes checks the times of a line about a call, which waited at least so long.
func wantTimes(t *testing.T, line map[string]any, waited time.Duration) {
	t.Helper()
	queued, known := line["queued_seconds"].(float64)
	ran, ranKnown := line["ran_seconds"].(float64)
	total, totalKnown := line["total_seconds"].(float64)
	if !known || !ranKnown || !totalKnown || queued < waited.Seconds() || ran < 0 || total < ran || total > testtime.Patience().Seconds() {
		t.Errorf("queued, ran and total are %v, %v and %v seconds, want at least %v queued",
			line["queued_seconds"], line["ran_seconds"], line["total_seconds"], waited)
	}
}

// TestLogQueueTime: the line about a call has the time that it waited for a slot.
func TestLogQueueTime(t *testing.T) {
	t.Parallel()
	s, release := system.OneSlot(t, 1)
	system.Enqueue(t, s.HTTP(0), "default", `{"call_id": "waited", "tool": "debug.fail", "arguments": {"how": "error", "message": "m"}}`)
	accepted := time.Now()
	for range 20 { // during which it waits
		system.ByID(t, s.HTTP(0), "calls.get", "default", "waited")
	}
	waited := time.Since(accepted)
	release()
	system.Eventually(t, "the line about the call", func() bool { return len(s.Logs.About(t, "waited")) == 1 })
	wantTimes(t, s.Logs.About(t, "waited")[0], waited)
}
