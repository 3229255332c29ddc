package dispatch

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestReusedID: a call_id belongs to its tool, arguments and user. Sent again unchanged it
// returns the stored result.
func TestReusedID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	args := []byte(`{"a": 1.0}`)
	first := w.execute(local(t), t, w.d, request(sent("c1", "echo", string(args))))[0]
	other := request(sent("c1", "echo", `{"a":1}`))
	if again := w.execute(local(t), t, w.dispatcher(t), other)[0]; again.Status != protocol.StatusSuccess ||
		string(again.Result) != string(first.Result) || again.TraceID != first.TraceID {
		t.Errorf("sent again = %+v, want %+v", again, first)
	}
	theirs := request(sent("c1", "echo", string(args)))
	theirs.User = "bob"
	for what, req := range map[string]Request{
		"another tool":    request(sent("c1", "fail", string(args))),
		"other arguments": request(sent("c1", "echo", `{"a":2}`)),
		"another user":    theirs,
	} {
		el := w.execute(local(t), t, w.d, req)[0]
		if el.ErrorType != tool.ValidationError || !strings.Contains(el.Message, "was already used") {
			t.Errorf("with %s = %+v, want a validation error", what, el)
		}
	}
	if el := w.execute(local(t), t, w.d,
		request(sent("c2", "echo", `{"a":`)))[0]; el.ErrorType != tool.ValidationError ||
		strings.Count(el.Message, "arguments") != 1 {
		t.Errorf("arguments that are not JSON = %+v, want a validation error", el)
	}
}

// TestMadeIDSentAgain: an id that a dispatcher made and that is sent again finds the result of the
// first call, though a quick call has no acceptance, and refuses another call.
func TestMadeIDSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, args := NewID(), []byte(`{"a":1}`)
	first := w.execute(local(t), t, w.d, request(Call{Call: call.Call{ID: id, Tool: "echo", Arguments: args}, Fresh: true}))[0]
	if again := w.execute(local(t), t, w.dispatcher(t),
		request(sent(id, "echo", string(args))))[0]; string(again.Result) != string(first.Result) {
		t.Errorf("sent again = %+v, want %+v", again, first)
	}
	if el := w.execute(local(t), t, w.d, request(sent(id, "fail", string(args))))[0]; el.ErrorType != tool.ValidationError {
		t.Errorf("with another tool = %+v, want a validation error", el)
	}
	// A call without result that only its dispatcher knows belongs to its user.
	id = NewID()
	answer := make(chan []protocol.Result, 1)
	go func() {
		answer <- w.execute(local(t), t, w.d, request(Call{Call: call.Call{ID: id, Tool: "hold"}, Fresh: true}))
	}()
	held := queuetest.Receive(t, w.held, "call")
	theirs, other, e := request(sent(id, "hold", "")), w.dispatcher(t), w.queued("bob", "bot")
	queuetest.Until(t, "the call of another user is refused", func() bool { // an answer may be late
		out, refused := other.foreign(as(t, "bob"), &theirs, &theirs.Calls[0], e)
		return refused && out.err == nil
	})
	if _, refused := other.foreign(as(t, "ann"), &theirs, &theirs.Calls[0], w.queued("ann", "bot")); refused {
		t.Error("the call of the same user is refused")
	}
	w.finish(t, held, &protocol.Result{Status: protocol.StatusSuccess})
	queuetest.Receive(t, answer, "answer")
	// An id that was never sent starts a call.
	if el := w.execute(local(t), t, w.d, request(sent(NewID(), "echo", string(args))))[0]; el.Status != protocol.StatusSuccess {
		t.Errorf("a made id that is new = %+v", el)
	}
}

// TestAgentWithoutTool: a tool that the agent may not use is refused.
func TestAgentWithoutTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.d.Agents.Put("acme", "bot", protocol.AgentRules{Tools: []string{"fail"}})
	if el := w.execute(local(t), t, w.d, request(sent("", "echo", "")))[0]; el.Status != protocol.StatusError || el.ErrorType == "" {
		t.Errorf("a tool outside of the agent's set = %+v, want it refused", el)
	}
	if el := w.execute(local(t), t, w.d, request(sent("", "fail", "")))[0]; el.Message != "there is none" {
		t.Errorf("a tool of the agent's set = %+v, want it run", el)
	}
}

func TestPrepareTrace(t *testing.T) {
	t.Parallel()
	own, other := strings.Repeat("a", 32), strings.Repeat("b", 32)
	parent := "00-" + own + "-" + strings.Repeat("1", 16) + "-01"
	for _, tt := range []struct {
		trace, parent, want, wantParent string
	}{
		{"", parent, own, parent},
		{own, parent, own, parent},
		{other, parent, other, ""},
		{own, "", own, ""},
	} {
		req := Request{TraceID: tt.trace, Traceparent: tt.parent}
		if prepareTrace(&req); req.TraceID != tt.want || req.Traceparent != tt.wantParent {
			t.Errorf("prepareTrace(%q, %q) = %q, %q, want %q, %q", tt.trace, tt.parent, req.TraceID, req.Traceparent, tt.want, tt.wantParent)
		}
	}
	var made Request
	if prepareTrace(&made); len(made.TraceID) != 32 {
		t.Errorf("a made trace id is %q", made.TraceID)
	}
}

// TestOwn: a credential joins the calls of its own agent only.
func TestOwn(t *testing.T) {
	t.Parallel()
	e := (&world{}).queued("ann", "bot")
	bot := identity.Principal{Tenant: "acme", User: "ann", Agent: "bot", Roles: []identity.Role{identity.User}}
	for _, tt := range []struct {
		name  string
		by    identity.Principal
		owner *protocol.Owner
		want  bool
	}{
		{"its own", bot, &protocol.Owner{User: "ann", Agent: "bot"}, true},
		{"of another user", bot, &protocol.Owner{User: "bob", Agent: "bot"}, false},
		{"of another agent of the user", bot, &protocol.Owner{User: "ann", Agent: "other"}, false},
		{"without owner", bot, nil, false},
		{"without owner, without credentials", identity.Anyone("acme"), nil, true},
	} {
		if got := own(identity.With(t.Context(), tt.by), e, tt.owner); got != tt.want {
			t.Errorf("a call %s is its own: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestMessageDeadlines: a call with a timeout must start within it.
func TestMessageDeadlines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := request()
	ticket, _ := w.d.shares.take("default", person{"acme", "ann"}, "", true)
	def, _ := w.d.Catalog.Of("acme", "ann").Lookup("echo")
	e := w.d.message(&req, &Call{Call: call.Call{ID: "c1", TimeoutMS: 5000}}, def, ticket)
	if e.DeadlineMS == 0 || e.StartByMS != e.DeadlineMS || e.TimeoutMS != 5000 {
		t.Errorf("a call with a timeout of 5 s: %+v", e)
	}
	e = w.d.message(&req, &Call{Call: call.Call{ID: "c2"}}, def, ticket)
	if e.DeadlineMS != 0 || e.StartByMS-e.AcceptedMS != time.Minute.Milliseconds() {
		t.Errorf("a call without timeout: %+v, want a minute in the queue", e)
	}
}
