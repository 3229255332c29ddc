package consent_test

import (
	"crypto/ed25519"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nuid"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
)

// verdict waits for the verdict of a consent of the default tenant.
func (r *rig) verdict(t *testing.T, id string) (v *protocol.Verdict) {
	t.Helper()
	queuetest.Until(t, "there is a verdict", func() bool {
		var err error
		if v, err = r.service.Verdict(t.Context(), "default", id); err != nil {
			t.Fatal(err)
		}
		return v != nil
	})
	return v
}

func person() identity.Principal {
	return identity.Principal{Tenant: "default", Name: "local", Roles: identity.Roles(), Open: true}
}

// forge stores a verdict that grants, signed by key if there is one.
func (r *rig) forge(t *testing.T, e *call.Call, id string, key ed25519.PrivateKey, purpose, about string) {
	t.Helper()
	text := `{"tenant": "default", "consent_id": "` + about + `", "call_id": "` + e.ID + `", "user": "` + e.User + `", "for_tool": true,
		"verdict": {"status": "granted", "by": "` + e.User + `", "remember": "always", "at": "2026-01-01T00:00:00Z"}}`
	if key != nil {
		var err error
		if text, err = token.NewSigner(key).Note(purpose, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	subject := store.Subjects{Tree: r.parker.Queue.Conn.Tree()}.Verdict("default", nuid.Next(), id)
	if ack, err := r.nc.Request(subject, []byte(text), queuetest.Patience); err != nil || strings.Contains(string(ack.Data), "error") {
		t.Fatalf("the forged verdict is not stored: %v, %v", ack, err)
	}
}

// counted reports whether the metrics have a line.
func (r *rig) counted(line string) bool {
	w := httptest.NewRecorder()
	r.metrics.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return strings.Contains(w.Body.String(), "\n"+line+"\n")
}

// TestForgedVerdicts: a verdict that no dispatcher signed as one of this consent lets
// nothing run, and the person's answer that comes later counts.
func TestForgedVerdicts(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	e, ask := r.next()
	if err := r.parker.Park(ctx, e, ask); err != nil {
		t.Fatal(err)
	}
	id := r.consentOf(t, e.ID)
	_, foreign, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	r.forge(t, e, id, nil, "", id)
	r.forge(t, e, id, r.key, "helve confirm v1", id)
	r.forge(t, e, id, r.key, "helve verdict v1", "c-another")
	r.forge(t, e, id, foreign, "helve verdict v1", id)
	queuetest.Until(t, "the forged verdicts of known keys are counted", func() bool { return r.counted("helve_verdicts_refused_total 3") })
	got, err := r.service.Get(ctx, "default", id)
	if err != nil || got.Status != protocol.PendingConsent {
		t.Fatalf("the consent is %s, %v, want it pending", got.Status, err)
	}
	if list, err := r.service.Grants(ctx, "default", e.User); err != nil || len(list) > 0 {
		t.Errorf("grants = %v, %v, want none", list, err)
	}
	if _, err := r.service.Decide(ctx, "default", id, consent.Decision{Grant: true}, person()); err != nil {
		t.Fatalf("the person's answer: %v", err)
	}
	if back := queuetest.Receive(t, r.resumed, "the granted call"); back != e.ID {
		t.Errorf("%s came back, want %s", back, e.ID)
	}
	if v := r.verdict(t, id); v.By != "local" || v.Remember == protocol.RememberAlways {
		t.Errorf("the verdict that counts is %+v, want the person's", v)
	}
	select {
	case call := <-r.resumed:
		t.Errorf("%s came back twice", call)
	default:
	}
}

// TestCallUnderAnothersConsent: what was parked under the consent of another call,
// and nobody was asked about, is not granted with it.
func TestCallUnderAnothersConsent(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	e, ask := r.next()
	if err := r.parker.Park(ctx, e, ask); err != nil {
		t.Fatal(err)
	}
	id := r.consentOf(t, e.ID)
	other, own := r.next()
	own.Request.ID, own.Request.Status, own.Request.RequestedAt = id, protocol.PendingConsent, time.Now()
	own.Request.ExpiresAt = time.Now().Add(time.Hour)
	request, err := json.Marshal(own.Request)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.On(r.parker.Queue).Park(ctx, &store.Parked{ConsentID: id, Call: other, Request: request}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.service.Decide(ctx, "default", id, consent.Decision{Grant: true}, person()); err != nil {
		t.Fatal(err)
	}
	if back := queuetest.Receive(t, r.resumed, "the granted call"); back != e.ID {
		t.Errorf("%s came back, want %s", back, e.ID)
	}
	queuetest.Until(t, "the consent has left the inbox", func() bool {
		list, _, err := r.service.List(ctx, "default", consent.Filter{Status: protocol.PendingConsent})
		return err == nil && len(list) == 0
	})
	select {
	case call := <-r.resumed:
		t.Errorf("%s came back too", call)
	default:
	}
}
