package natsauth

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

const remoteTool = `{"instance": "p1", "ttl_ms": 300000, "tools": [
	{"name": "%s", "description": "Of a test.", "mutates": false, "parameters": {"properties": {}}}]}`

// TestRemote: a process with the credential of its role registers a tool, receives a
// call across the accounts, reports progress, receives a cancellation, and replies
// once.
func TestRemote(t *testing.T) {
	t.Parallel()
	process, agent := shared.as(t, "acme.remote"), shared.as(t, "acme.agent")
	cancels, events := process.listen(t, "helve.v1.acme.cancel.*"), agent.listen(t, "helve.v1.acme.event.>")
	if _, err := process.QueueSubscribe("helve.v1.acme.remote.crm.*", "helve-remote", func(m *nats.Msg) {
		if strings.HasSuffix(m.Subject, "never") {
			return
		}
		_ = process.Publish(m.Header.Get("Helve-Events"), []byte(`{"half": true}`))
		_ = m.Respond([]byte(`{"status": "success", "result": 1}`))
		_ = m.Respond([]byte(`{"status": "success", "result": 2}`))
	}); err != nil {
		t.Fatal(err)
	}
	process.api(t, "acme", "remote.register", fmt.Sprintf(remoteTool, "crm.find"))
	for range 5 {
		if e := agent.call(t, "acme", `{"calls": [{"tool": "crm.find"}]}`); e["result"] != 1.0 {
			t.Fatalf("the call = %v (the process: %v), want 1", e, process.LastError())
		}
	}
	for told := ""; !strings.Contains(told, `"half":true`) || !strings.Contains(told, `"type":"progress"`); {
		told = string(next(t, events).Data)
	}
	process.api(t, "acme", "remote.register", fmt.Sprintf(remoteTool, "crm.never"))
	agent.call(t, "acme", `{"wait_ms": 0, "calls": [{"call_id": "r1", "tool": "crm.never"}]}`)
	for told := ""; !strings.Contains(told, `"type":"started"`) || !strings.Contains(told, `"r1"`); {
		told = string(next(t, events).Data)
	}
	agent.api(t, "acme", "calls.cancel", `{"call_id": "r1"}`)
	for next(t, cancels).Subject != "helve.v1.acme.cancel.r1" {
		continue
	}
	if e := agent.settled(t, "acme", "r1"); e["error_type"] != "cancelled" {
		t.Errorf("the cancelled call = %v, want cancelled", e)
	}
	// A worker looks for itself who runs a tool that it is told nobody does.
	e := agent.call(t, "acme", `{"calls": [{"tool": "use_tool", "arguments": {"tool_name": "crm.find", "arguments": {}}}]}`)
	if why, _ := e["message"].(string); e["error_type"] != "tool_not_available" || !strings.Contains(why, "sent a heartbeat lately") {
		t.Errorf("the call of a tool that was given up = %v, want tool_not_available", e)
	}
	// Nobody listens any more: that is known across the accounts too.
	process.Close()
	if e := agent.call(t, "acme", `{"calls": [{"tool": "crm.never"}]}`); e["error_type"] != "tool_not_available" {
		t.Errorf("the call of a process that is gone = %v, want tool_not_available", e)
	}
}

// TestRemoteOfSomeTools is asked about those alone.
func TestRemoteOfSomeTools(t *testing.T) {
	t.Parallel()
	may, err := User{Role: "remote", Tenant: "acme", Tools: []string{"crm.find", "crm.add"}}.Permissions("helve.v1")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"helve.v1.acme.remote.crm.find helve-remote", "helve.v1.acme.remote.crm.add helve-remote", "helve.v1.acme.cancel.*",
		"_INBOX_remote.remote.>",
	}
	if !slices.Equal(may.Subscribe, want) {
		t.Errorf("the process listens to %q, want %q", may.Subscribe, want)
	}
}
