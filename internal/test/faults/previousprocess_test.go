package faults

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
)

// remoteTool is the tool of [world.remoteProcess].
const remoteTool = "acme.length"

// remoteProcess connects a process with a tool of its own, written for the protocol of the
// previous release: docs/protocol.md, section 11. It registers at any one dispatcher, for
// longer than the test takes, and answers each call with the length of its text.
func (w *world) remoteProcess() {
	w.t.Helper()
	nc, err := nats.Connect(w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(nc.Close)
	answer := func(m *nats.Msg) {
		var asked struct {
			CallID    string                `json:"call_id"`
			TraceID   string                `json:"trace_id"`
			Tool      string                `json:"tool"`
			Arguments struct{ Text string } `json:"arguments"`
			Attempt   int                   `json:"attempt"`
			Deadline  string                `json:"deadline"`
		}
		err := json.Unmarshal(m.Data, &asked)
		if err != nil || asked.CallID == "" || asked.TraceID == "" || asked.Tool != remoteTool || asked.Attempt < 1 || asked.Deadline == "" {
			w.t.Errorf("a remote process received %s (%v), want a call of %s", m.Data, err, remoteTool)
		}
		if err := m.Respond(fmt.Appendf(nil, `{"status": "success", "result": {"length": %d}}`, len(asked.Arguments.Text))); err != nil {
			w.t.Errorf("a remote process cannot answer: %v", err)
		}
	}
	if _, err := nc.QueueSubscribe("helve.v1."+defaultTenant+".remote."+remoteTool, "helve-remote", answer); err != nil {
		w.t.Fatal(err)
	}
	const registration = `{"instance": "previous-1", "ttl_ms": 300000, "tools": [{"name": "` + remoteTool +
		`", "description": "Return the length of a text.",
		"mutates": false, "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}]}`
	reply, err := nc.Request("helve.v1."+defaultTenant+".api.remote.register", []byte(registration), patience())
	if err != nil || reply.Header.Get("Nats-Service-Error-Code") != "" {
		w.t.Fatalf("remote.register = %+v, %v", reply, err)
	}
}

// callRemote calls the tool of the remote process through a dispatcher n times.
func (w *world) callRemote(t *testing.T, d door, n int) {
	t.Helper()
	for i := range n {
		c := w.call(defaultTenant, fmt.Sprintf("remote-%d-%d", len(w.calls), i), remoteTool, map[string]any{"text": "seven 7"})
		if e := d.settle(t, c); e.outcome() != "success" || string(e.Result) != `{"length":7}` {
			t.Errorf("a call of the remote process through %s = %+v, want the length 7", d.name, e)
		}
	}
}
