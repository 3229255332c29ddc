package consent_test

import (
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// shared makes a request for permissions that other calls join.
func shared(a *consent.Ask) {
	a.Shared, a.Request.ForTool, a.Request.Permissions = true, false, []string{"crm.read"}
}

// TestSharedRequest: calls that need the same permissions share one request, and its grant
// resumes all of them.
func TestSharedRequest(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	one, id := r.ask(t, shared)
	two, same := r.ask(t, shared)
	if id != same {
		t.Fatalf("the calls have the consents %s and %s, want one", id, same)
	}
	if done, err := r.service.Cancel(ctx, "default", two, "u0"); done || err != nil {
		t.Errorf("Cancel of a call with a shared request = %v, %v, want no verdict on the request", done, err)
	}
	if _, err := r.service.Decide(ctx, "default", id, consent.Decision{Grant: true, Remember: protocol.RememberAlways},
		user("u0")); err != nil {
		t.Fatal(err)
	}
	back := map[string]bool{queuetest.Receive(t, r.resumed, "first call"): true, queuetest.Receive(t, r.resumed, "second call"): true}
	if !back[one] || !back[two] {
		t.Errorf("%v came back, want %s and %s", back, one, two)
	}
	queuetest.Until(t, "the permission is remembered", func() bool {
		list, err := r.service.Grants(ctx, "default", "u0")
		return err == nil && len(list) == 1 && list[0].Permission == "crm.read"
	})
	// The request is closed, so the next call opens another.
	if _, next := r.ask(t, shared); next == id {
		t.Error("a later call joined the decided request")
	}
}

// TestSharedRequestDenied: a denial ends every call of the request.
func TestSharedRequestDenied(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one, id := r.ask(t, shared)
	two, _ := r.ask(t, shared)
	if _, err := r.service.Decide(t.Context(), "default", id, consent.Decision{}, user("u0")); err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{one, two} {
		if el := r.result(t, call); el.ErrorType != tool.PermissionDenied {
			t.Errorf("%s = %+v, want permission_denied", call, el)
		}
	}
}
