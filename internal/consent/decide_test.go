package consent_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// ask parks another call after change and returns its id and that of its consent.
func (r *rig) ask(t *testing.T, change func(*consent.Ask)) (callID, consentID string) {
	t.Helper()
	e, ask := r.next()
	change(&ask)
	if err := r.parker.Park(t.Context(), e, ask); err != nil {
		t.Fatal(err)
	}
	return e.ID, r.consentOf(t, e.ID)
}

// result waits for the stored result of a call.
func (r *rig) result(t *testing.T, callID string) *protocol.Result {
	t.Helper()
	var stored *queue.Stored
	queuetest.Until(t, "the call has a result", func() (ok bool) {
		var err error
		if stored, err = r.parker.Queue.Results.Result(t.Context(), "default", callID); err != nil {
			t.Fatal(err)
		}
		return stored != nil
	})
	el, err := call.DecodeResult(stored.Element)
	if err != nil {
		t.Fatal(err)
	}
	return el
}

func user(name string, roles ...identity.Role) identity.Principal {
	return identity.Principal{Tenant: "default", User: name, Name: name, Roles: append(roles, identity.User)}
}

func wantKind(t *testing.T, what string, err error, want consent.Kind) {
	t.Helper()
	if e, ok := errors.AsType[*consent.Error](err); !ok || e.Kind != want || e.Error() == "" {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

// TestDeny: a denied call ends in permission_denied with the person's comment, and the
// first verdict counts.
func TestDeny(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	call, id := r.ask(t, func(*consent.Ask) {})
	_, err := r.service.Decide(ctx, "default", id, consent.Decision{}, user("bob"))
	wantKind(t, "somebody else decides", err, consent.Forbidden)
	if _, err := r.service.Decide(ctx, "default", id, consent.Decision{Comment: "not today", NeverAsk: true}, user("u0")); err != nil {
		t.Fatal(err)
	}
	if el := r.result(t, call); el.ErrorType != tool.PermissionDenied || !strings.Contains(el.Message, "not today") || el.ConsentID != id {
		t.Errorf("the denied call = %+v", el)
	}
	_, err = r.service.Decide(ctx, "default", id, consent.Decision{Grant: true}, user("u0"))
	wantKind(t, "a second verdict", err, consent.Conflict)
	_, err = r.service.Get(ctx, "default", "c-none")
	wantKind(t, "an unknown consent", err, consent.NotFound)
	queuetest.Until(t, "the refusal is remembered", func() bool {
		list, err := r.service.Grants(ctx, "default", "u0")
		return err == nil && len(list) == 1 && list[0].Deny
	})
}

// TestDecisionsThatDoNotFit: a decision that cannot be made about a request is refused, and
// the request stays open.
func TestDecisionsThatDoNotFit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	high := func(a *consent.Ask) { a.Request.Risk = tool.High }
	approver := func(a *consent.Ask) { a.Request.ApproverOnly = true }
	question := func(a *consent.Ask) {
		a.Request.Kind, a.Request.ForTool = protocol.ConsentQuestion, false
		a.Request.Schema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	}
	answer := json.RawMessage(`{"n":1}`)
	for _, tt := range []struct {
		name string
		ask  func(*consent.Ask)
		say  consent.Decision
		want consent.Kind
	}{
		{"always for a high risk", high, consent.Decision{Grant: true, Remember: protocol.RememberAlways}, consent.BadRequest},
		{
			"for a conversation without one", func(*consent.Ask) {}, consent.Decision{Grant: true, Remember: protocol.RememberSession},
			consent.BadRequest,
		},
		{"granted without the role approver", approver, consent.Decision{Grant: true}, consent.Forbidden},
		{"an answer to no question", func(*consent.Ask) {}, consent.Decision{Grant: true, Answer: answer}, consent.BadRequest},
		{
			"a question answered for ever", question, consent.Decision{Grant: true, Remember: protocol.RememberAlways, Answer: answer},
			consent.BadRequest,
		},
		{"a refusal with an answer", question, consent.Decision{Answer: answer}, consent.BadRequest},
		{"no answer", question, consent.Decision{Grant: true}, consent.BadRequest},
		{"a wrong answer", question, consent.Decision{Grant: true, Answer: json.RawMessage(`{"n":"x"}`)}, consent.BadRequest},
		{"an answer to something else", question, consent.Decision{Grant: true, Answer: json.RawMessage(`{"n":1,"m":2}`)}, consent.BadRequest},
	} {
		_, id := r.ask(t, tt.ask)
		_, err := r.service.Decide(t.Context(), "default", id, tt.say, user("u0"))
		wantKind(t, tt.name, err, tt.want)
		if got, err := r.service.Get(t.Context(), "default", id); err != nil || got.Status != protocol.PendingConsent {
			t.Errorf("%s: the request is %s, %v, want it pending", tt.name, got.Status, err)
		}
	}
	_, id := r.ask(t, approver)
	_, err := r.service.Decide(t.Context(), "default", id, consent.Decision{Grant: true, Remember: protocol.RememberAlways},
		user("eve", identity.Approver))
	wantKind(t, "an approver for ever", err, consent.BadRequest)
}

// TestAnswer: the answer of a question is the result of its call; a refusal is an error.
func TestAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	question := func(a *consent.Ask) {
		a.Request.Kind, a.Request.ForTool = protocol.ConsentQuestion, false
		a.Request.Schema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","default":3}}}`)
	}
	call, id := r.ask(t, question)
	if _, err := r.service.Decide(t.Context(), "default", id, consent.Decision{Grant: true, Answer: json.RawMessage(`{}`)},
		user("u0")); err != nil {
		t.Fatal(err)
	}
	if el := r.result(t, call); el.Status != protocol.StatusSuccess || string(el.Result) != `{"n":3}` {
		t.Errorf("the answered call = %+v, want the answer with its default", el)
	}
	call, id = r.ask(t, question)
	if _, err := r.service.Decide(t.Context(), "default", id, consent.Decision{}, user("u0")); err != nil {
		t.Fatal(err)
	}
	if el := r.result(t, call); el.ErrorType != tool.PermissionDenied || !strings.Contains(el.Message, "question") {
		t.Errorf("the refused question = %+v", el)
	}
}

// TestCancel: a call that waits for a person ends in cancelled; another one is left alone.
func TestCancel(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	call, id := r.ask(t, func(*consent.Ask) {})
	if done, err := r.service.Cancel(ctx, "default", "c-none", "u0"); done || err != nil {
		t.Errorf("Cancel of an unknown call = %v, %v", done, err)
	}
	if done, err := r.service.Cancel(ctx, "default", call, "u0"); !done || err != nil {
		t.Fatalf("Cancel = %v, %v", done, err)
	}
	if done, err := r.service.Cancel(ctx, "default", call, "u0"); done || err != nil {
		t.Errorf("Cancel again = %v, %v", done, err)
	}
	if el := r.result(t, call); el.ErrorType != tool.Cancelled {
		t.Errorf("the cancelled call = %+v", el)
	}
	_, err := r.service.Decide(ctx, "default", id, consent.Decision{Grant: true}, user("u0"))
	wantKind(t, "a verdict after it", err, consent.Conflict)
}

// TestExpiry: a request that nobody decides in time expires, by a timer of the server.
func TestExpiry(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	call, id := r.ask(t, func(a *consent.Ask) { a.TTL = time.Millisecond })
	if v := r.verdict(t, id); v.Status != protocol.ExpiredConsent {
		t.Errorf("the verdict is %+v, want it expired", v)
	}
	if el := r.result(t, call); el.ErrorType != tool.ConsentExpired {
		t.Errorf("the call = %+v, want consent_expired", el)
	}
	_, err := r.service.Decide(t.Context(), "default", id, consent.Decision{Grant: true}, user("u0"))
	wantKind(t, "a late verdict", err, consent.Conflict)
}

// TestRevoke: a person revokes their own grants, an approver any.
func TestRevoke(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	r.allow(t)
	list, err := r.service.Grants(ctx, "default", "u0")
	if err != nil || len(list) != 1 {
		t.Fatalf("grants = %v, %v", list, err)
	}
	wantKind(t, "somebody else revokes", r.service.Revoke(ctx, "default", list[0].ID, user("bob")), consent.NotFound)
	if err := r.service.Revoke(ctx, "default", list[0].ID, user("u0")); err != nil {
		t.Fatal(err)
	}
	if left, err := r.service.Grants(ctx, "default", ""); err != nil || len(left) > 0 {
		t.Errorf("grants = %v, %v, want none", left, err)
	}
	wantKind(t, "it is revoked twice", r.service.Revoke(ctx, "default", list[0].ID, user("eve", identity.Approver)), consent.NotFound)
}

// TestList: the inbox has the requests of a user, newest first, with their verdicts.
func TestList(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	_, first := r.ask(t, func(*consent.Ask) {})
	_, second := r.ask(t, func(*consent.Ask) {})
	if _, err := r.service.Decide(ctx, "default", first, consent.Decision{}, user("u0")); err != nil {
		t.Fatal(err)
	}
	list, next, err := r.service.List(ctx, "default", consent.Filter{User: "u0"})
	if err != nil || next != "" || len(list) != 2 {
		t.Fatalf("List = %v, %q, %v", list, next, err)
	}
	ids := []string{list[0].ID, list[1].ID}
	if !slices.Contains(ids, first) || !slices.Contains(ids, second) {
		t.Errorf("the inbox has %v, want %s and %s", ids, first, second)
	}
}
