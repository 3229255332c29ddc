package dispatch

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestExecute: the calls of a request have results in the order of the request.
func TestExecute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	res, err := w.d.Execute(local(t), request(
		Call{Call: call.Call{Tool: "echo", ToolCallID: "tc1", Arguments: []byte(`{"a":1}`)}},
		sent("", "fail", ""),
		sent("", "ecko", ""),
		Call{Call: call.Call{Tool: "echo"}, Problem: tool.Fail(tool.ValidationError, "calls[3]: wrong")},
		sent("", "outside", ""),
		sent("", "withheld", ""),
	))
	if err != nil || res.TraceID == "" {
		t.Fatalf("Execute = %+v, %v", res, err)
	}
	got := elements(t, res.Results...)
	if el := got[0]; el.Status != protocol.StatusSuccess || string(el.Result) != `{"a":1}` || el.ToolCallID != "tc1" ||
		el.TraceID != res.TraceID || el.CallID == "" {
		t.Errorf("echo = %+v", el)
	}
	for i, want := range map[int]struct {
		kind tool.Kind
		msg  string
	}{
		1: {tool.FileNotFound, "there is none"},
		2: {tool.ToolNotFound, "the nearest are echo"},
		3: {tool.ValidationError, "calls[3]: wrong"},
		4: {tool.ToolNotAvailable, "no process that runs it"},
		5: {tool.ToolNotAvailable, "helve upstream accept withheld"},
	} {
		if el := got[i]; el.Status != protocol.StatusError || el.ErrorType != want.kind || !strings.Contains(el.Message, want.msg) {
			t.Errorf("call %d = %+v, want %s: %s", i, el, want.kind, want.msg)
		}
	}
}

// TestExecuteWithoutNATS: a request that cannot be served now says so and may be sent
// again.
func TestExecuteWithoutNATS(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.srv.Stop()
	queuetest.Until(t, "the connection is lost", func() bool { return !w.d.Queue.Conn.Connected() })
	_, err := w.d.Execute(local(t), request(sent("", "echo", "")))
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Unavailable || e.RetryAfter == 0 {
		t.Errorf("Execute = %v, want unavailable with a delay", err)
	}
}

// TestDrain: a waiting request is answered as pending, and another dispatcher returns the
// result.
func TestDrain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := make(chan []protocol.Result, 1)
	go func() { answer <- w.execute(local(t), t, w.d, request(sent("c1", "hold", ""))) }()
	held := queuetest.Receive(t, w.held, "call")
	w.d.Drain()
	if el := queuetest.Receive(t, answer, "answer")[0]; el.Status != protocol.StatusPending || el.CallID != "c1" {
		t.Errorf("a drained dispatcher answers %+v, want pending", el)
	}
	other := w.dispatcher(t)
	go func() {
		answer <- w.execute(local(t), t, other, request(sent("c1", "hold", "")))
	}()
	queuetest.Until(t, "the other dispatcher waits", func() bool { _, _, ok := other.results.Inbox().Waiting("acme", "c1"); return ok })
	w.finish(t, held, &protocol.Result{Status: protocol.StatusSuccess, Result: json.RawMessage(`7`)})
	if el := queuetest.Receive(t, answer, "answer")[0]; el.Status != protocol.StatusSuccess || string(el.Result) != `7` {
		t.Errorf("the other dispatcher answers %+v, want the result", el)
	}
}

// TestOverloaded: above the backlog's bound calls are refused and may be sent again.
func TestOverloaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.MaxBacklog = 0 })
	res, err := w.d.Execute(local(t), request(sent("c1", "echo", "")))
	if err != nil || res.RetryAfter == 0 || res.Limited {
		t.Fatalf("Execute = %+v, %v, want a delay", res, err)
	}
	if el := elements(t, res.Results...)[0]; el.ErrorType != tool.Overloaded || el.Metadata["retry_after_ms"] == nil {
		t.Errorf("the call = %+v, want overloaded", el)
	}
	if rec, err := w.d.Queue.Calls.Accepted(t.Context(), "acme", "c1"); rec != nil || err != nil {
		t.Errorf("the refused call is accepted: %v, %v", rec, err)
	}
}

// TestQuota: calls over a quota are refused as rate_limited; a call that was accepted
// before is joined nevertheless.
func TestQuota(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Quota = Quota{User: 1, Tenant: 10} })
	pending := request(sent("c1", "hold", ""))
	pending.Wait = 0
	if el := w.execute(local(t), t, w.d, pending)[0]; el.Status != protocol.StatusPending {
		t.Fatalf("the first call = %+v, want pending", el)
	}
	res, err := w.d.Execute(local(t), request(sent("c2", "echo", "")))
	if err != nil || !res.Limited || res.RetryAfter == 0 {
		t.Fatalf("Execute over the quota = %+v, %v", res, err)
	}
	if el := elements(t, res.Results...)[0]; el.ErrorType != tool.RateLimited {
		t.Errorf("the second call = %+v, want rate_limited", el)
	}
	if el := w.execute(local(t), t, w.d, pending)[0]; el.Status != protocol.StatusPending || el.CallID != "c1" {
		t.Errorf("the first call sent again = %+v, want pending", el)
	}
	w.finish(t, queuetest.Receive(t, w.held, "call"), &protocol.Result{Status: protocol.StatusSuccess, Result: json.RawMessage(`1`)})
	queuetest.Until(t, "the quota is free again", func() bool {
		return w.execute(local(t), t, w.d, request(sent("", "echo", `{}`)))[0].Status == protocol.StatusSuccess
	})
}

// TestUseTool: a call by way of use_tool is queued for the pool of its target.
func TestUseTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	args := []byte(`{"tool_name":"echo","arguments":{}}`)
	if el := w.execute(local(t), t, w.d, request(sent("", catalog.UseTool, string(args))))[0]; el.Status != protocol.StatusSuccess {
		t.Errorf("use_tool = %+v", el)
	}
}
