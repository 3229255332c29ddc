package console

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestUnfinished: a call shows its arguments and its steps while it waits for a worker, while
// it runs, and when it is done, to people who may see it, with secrets hidden.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	p := newPeople(t, func(c *config.Config) { c.Worker.Slots = 1 })
	answer := make(chan struct{})
	remote := p.RemoteProcess(t, "default", "m1")
	remote.Answer("vault.open", func(q system.RemoteCall) {
		<-answer
		q.Respond(t, `{"status": "success", "result": true}`)
	})
	far, ann := p.door(t, "far"), p.door(t, "ann")
	r := far.Send(t, http.MethodPost, "/v1/remote/register",
		`{"instance": "m1", "ttl_ms": 300000, "tools": [{"name": "vault.open", "description": "Open.", "mutates": false, "risk": "low",
		"parameters": {"type": "object", "properties": {"door": {"type": "string"}, "word": {"type": "string", "writeOnly": true}}}}]}`,
		http.Header{"Content-Type": {"application/json"}})
	if r.Status != 200 {
		t.Fatalf("register = %d %s", r.Status, r.Body)
	}
	var first system.Element
	system.Eventually(t, "the tool is known and a call of it runs", func() bool {
		if first.CallID == "" || first.State == "done" {
			first = system.Enqueue(t, ann, "default", `{"tool": "vault.open", "arguments": {"door": "left", "word": "sesame-sesame"}}`)
			return false
		}
		first = system.ByID(t, ann, "calls.get", "default", first.CallID)
		return first.State == "running"
	})
	second := system.Enqueue(t, ann, "default",
		`{"call_id": "waits-1", "tool": "use_tool", "arguments": {"tool_name": "vault.open", "arguments": {"door": "left", "word": "sesame-sesame"}}}`)
	detail := func(name, id string) (int, protocol.CallDetail) {
		t.Helper()
		r := p.door(t, name).Ask(t, "default", "calls.get", map[string]string{"call_id": id, "include": "arguments,steps"}, "")
		var d protocol.CallDetail
		if r.Status == 200 {
			if err := json.Unmarshal(r.Body, &d); err != nil {
				t.Fatalf("calls.get = %s: %v", r.Body, err)
			}
		}
		return r.Status, d
	}
	steps := func(d protocol.CallDetail) (names []string) {
		for _, s := range d.Steps {
			names = append(names, s.Step)
		}
		return names
	}
	for id, state := range map[string]string{first.CallID: "running", second.CallID: "queued"} {
		for name, may := range map[string]bool{"ann": true, "eve": true, "root": true, "bob": false, "cleo": false} {
			status, d := detail(name, id)
			switch args := string(d.Arguments); {
			case !may && status != 404:
				t.Errorf("%s sees the call that is %s: %d", name, state, status)
			case may && (d.State != state || !strings.Contains(args, `"door":"left"`) || strings.Contains(args, "sesame")):
				t.Errorf("%s sees of the call that is %s: %d %s %s", name, state, status, d.State, args)
			case may && (len(d.Steps) == 0 || d.Steps[0].Step != "accepted" || slices.Contains(steps(d), "done")):
				t.Errorf("%s sees steps %v of the call that is %s", name, d.Steps, state)
			}
		}
	}
	looks, _ := system.QueryRecords(t, p.door(t, "root"), "default", map[string]string{"phase": "call_viewed", "limit": "100"})
	if n := len(slices.DeleteFunc(looks, func(r system.Record) bool { return r.User != "ann" })); n != 4 {
		t.Errorf("%d looks of eve and root are recorded, want 4: %+v", n, looks)
	}
	close(answer)
	made := system.One(t, ann, "default", `{"tool": "debug.echo", "arguments": {"value": 1}}`) // without an acceptance
	batch := system.One(t, ann, "default",
		`{"tool": "batch_use_tool", "arguments": {"calls": [{"tool_name": "vault.open", "arguments": {"door": "left", "word": "sesame-sesame"}}]}}`)
	for _, id := range []string{first.CallID, second.CallID, made.CallID, batch.CallID} {
		var d protocol.CallDetail
		system.Eventually(t, "the call is done and on the trail", func() bool {
			_, d = detail("ann", id)
			return slices.Equal(steps(d), []string{"accepted", "started", "done"})
		})
		if args := string(d.Arguments); !strings.Contains(args, `:`) || strings.Contains(args, "sesame") {
			t.Errorf("arguments of the call that is done: %s", args)
		}
		for i := 1; i < len(d.Steps); i++ {
			if d.Steps[i].At.Before(d.Steps[i-1].At) || d.Steps[i].At.IsZero() {
				t.Errorf("steps are not in order: %+v", d.Steps)
			}
		}
	}
}
