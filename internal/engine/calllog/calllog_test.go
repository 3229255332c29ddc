package calllog

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// TestPanicIsLoggedOnce: a crash is logged with its level and its stack.
func TestPanicIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(config.Default(), "test"), &log)
	if err != nil {
		t.Fatal(err)
	}
	crash := &engine.PanicError{Value: "boom", Stack: []byte("goroutine 1 [running]:")}
	Logger{Kit: kit}.Record(&engine.Job{}, &engine.Outcome{Err: tool.Fail(tool.ExecutionError, "the tool crashed").Because(crash)})
	kit.Close(t.Context())
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	var line struct{ Level, Msg, Cause, Stack, Status string }
	if err := json.Unmarshal([]byte(lines[0]), &line); err != nil || len(lines) != 1 {
		t.Fatalf("the log is %q, %v; want one line", lines, err)
	}
	if line.Level != "error" || line.Msg != "tool panicked" || line.Cause != "panic: boom" || line.Stack != "goroutine 1 [running]:" ||
		line.Status != "error" {
		t.Errorf("the line is %+v; want an error with the panic and its stack", line)
	}
}

// TestLinesOfCalls: a success is on the audit trail, and in the debug log; a failure is in the
// log.
func TestLinesOfCalls(t *testing.T) {
	failed := tool.Fail(tool.Timeout, "too slow")
	for _, tt := range []struct {
		level string
		err   *tool.Error
		want  string
	}{
		{"info", nil, ""},
		{"debug", nil, "debug call finished success"},
		{"info", failed, "info call finished error"},
		{"warn", failed, ""},
	} {
		var log bytes.Buffer
		cfg := config.Default()
		cfg.Log.Level = tt.level
		kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(cfg, "test"), &log)
		if err != nil {
			t.Fatal(err)
		}
		Logger{Kit: kit}.Record(&engine.Job{}, &engine.Outcome{Err: tt.err})
		kit.Close(t.Context())
		var line struct{ Level, Msg, Status string }
		if log.Len() > 0 {
			if err := json.Unmarshal(log.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.TrimSpace(line.Level + " " + line.Msg + " " + line.Status); got != tt.want {
			t.Errorf("at level %s a call that ended in %v is logged as %q, want %q", tt.level, tt.err, got, tt.want)
		}
	}
}

// TestLineOfCall: the line about a call names its caller, its pool and its times; a nested
// call was in no queue.
func TestLineOfCall(t *testing.T) {
	var log bytes.Buffer
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(config.Default(), "test"), &log)
	if err != nil {
		t.Fatal(err)
	}
	job := engine.Job{
		Call: tool.Call{ID: "c", TraceID: "t", Tenant: "acme", User: "ann", Agent: "bot", Attempt: 2}, Queued: 1500 * time.Millisecond,
	}
	failed := &engine.Outcome{Err: tool.Fail(tool.Timeout, "too slow"), Ran: 2 * time.Second, Total: 3 * time.Second}
	Logger{Kit: kit}.Record(&job, failed)
	job.Nested = true
	Logger{Kit: kit}.Record(&job, failed)
	kit.Close(t.Context())
	for i, text := range strings.Split(strings.TrimSpace(log.String()), "\n") {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		for field, want := range map[string]any{
			"user": "ann", "agent": "bot", "pool": "", "ran_seconds": 2.0, "total_seconds": 3.0, "attempt": 2.0,
		} {
			if line[field] != want {
				t.Errorf("line %d has %s %v, want %v", i, field, line[field], want)
			}
		}
		if queued, there := line["queued_seconds"]; there != (i == 0) || there && queued != 1.5 {
			t.Errorf("line %d has the queue time %v", i, queued)
		}
	}
}

// TestReasonOfFailure: the line about a failed call has its message, without what the call's
// arguments say.
func TestReasonOfFailure(t *testing.T) {
	var log bytes.Buffer
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(config.Default(), "test"), &log)
	if err != nil {
		t.Fatal(err)
	}
	job := engine.Job{Call: tool.Call{ID: "c", Attempt: 1}, Args: json.RawMessage(`{"path":"diary/ann.txt"}`)}
	Logger{Kit: kit}.Record(&job, &engine.Outcome{
		Err: tool.Fail(tool.FileNotFound, "file 'diary/ann.txt' does not exist; list_files shows what is there"),
	})
	kit.Close(t.Context())
	var line struct{ Message string }
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line.Message != "file '…' does not exist; list_files shows what is there" || strings.Contains(log.String(), "diary") {
		t.Errorf("the line is %s", log.String())
	}
}
