package consent_test

import (
	"crypto/ed25519"
	"encoding/json"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
)

const grantedKey, grantedTool = "default.u0.tool.always.debug.guarded", "debug.guarded"

// standing returns a worker's view of the tool's grant.
func (r *rig) standing(t *testing.T, ring *token.Keyring) consent.Standing {
	t.Helper()
	bucket, err := r.parker.Queue.Conn.Bucket(t.Context(), streams.BucketGrants)
	if err != nil {
		t.Fatal(err)
	}
	standing, _, err := (&consent.Grants{
		Bucket: bucket, Ring: ring,
	}).Find(t.Context(), "default", "u0", "", consent.Subject{Tool: grantedTool})
	if err != nil {
		t.Fatal(err)
	}
	return standing
}

// allow stores a permanent grant of the person, and returns it in its stored form.
func (r *rig) allow(t *testing.T) []byte {
	t.Helper()
	e, ask := r.next()
	if err := r.parker.Park(t.Context(), e, ask); err != nil {
		t.Fatal(err)
	}
	if _, err := r.service.Decide(t.Context(), "default", r.consentOf(t, e.ID),
		consent.Decision{Grant: true, Remember: protocol.RememberAlways}, person()); err != nil {
		t.Fatal(err)
	}
	queuetest.Receive(t, r.resumed, "the granted call")
	return r.storedGrant(t)
}

func (r *rig) storedGrant(t *testing.T) []byte {
	t.Helper()
	bucket, err := r.parker.Queue.Conn.Bucket(t.Context(), streams.BucketGrants)
	if err != nil {
		t.Fatal(err)
	}
	value, err := bucket.Get(t.Context(), grantedKey)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestForgedGrant: a grant counts if a dispatcher signed it for the place where it lies.
// A refusal counts as it is.
func TestForgedGrant(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	bucket, err := r.parker.Queue.Conn.Bucket(ctx, streams.BucketGrants)
	if err != nil {
		t.Fatal(err)
	}
	_, foreign, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	grant := protocol.Grant{ID: "g-1", Tenant: "default", User: "u0", Tool: grantedTool, By: "u0", At: time.Now()}
	deny, other := grant, grant
	deny.Deny, other.Tool = true, "another.tool"
	note := func(key ed25519.PrivateKey, purpose string, g protocol.Grant) string {
		body, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		if key == nil {
			return string(body)
		}
		text, err := token.NewSigner(key).Note(purpose, body)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for what, tt := range map[string]struct {
		value string
		want  consent.Standing
	}{
		"unsigned":              {note(nil, "", grant), consent.Unknown},
		"of a foreign key":      {note(foreign, "helve grant v1", grant), consent.Unknown},
		"of another purpose":    {note(r.key, "helve verdict v1", grant), consent.Unknown},
		"of another place":      {note(r.key, "helve grant v1", other), consent.Unknown},
		"signed":                {note(r.key, "helve grant v1", grant), consent.Allowed},
		"a refusal, unsigned":   {note(nil, "", deny), consent.Never},
		"neither note nor JSON": {"x", consent.Unknown},
	} {
		if err := bucket.Put(ctx, grantedKey, []byte(tt.value)); err != nil {
			t.Fatal(err)
		}
		if got := r.standing(t, r.ring); got != tt.want {
			t.Errorf("a grant %s: standing %d, want %d", what, got, tt.want)
		}
		if list, err := r.service.Grants(ctx, "default", "u0"); err != nil || (len(list) == 1) != (tt.want != consent.Unknown) {
			t.Errorf("a grant %s: listed %v, %v", what, list, err)
		}
	}
}

// TestGrantOutlivesItsKey: a dispatcher with another key signs the grant again while the
// old key is known, so it holds when that key is removed.
func TestGrantOutlivesItsKey(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	before := r.allow(t)
	if got := r.standing(t, r.ring); got != consent.Allowed {
		t.Fatalf("standing %d, want the tool allowed", got)
	}
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ring.Put(token.KeyID(public), public); err != nil {
		t.Fatal(err)
	}
	if _, err := consent.Open(ctx, consent.Options{
		Queue: r.parker.Queue, Signer: token.NewSigner(private), Ring: r.ring, Metrics: r.metrics, Log: zap.NewNop(), QueueTTL: time.Minute,
		Trail: trail.Writer{Queue: r.parker.Queue, Metrics: r.metrics, Log: zap.NewNop()},
	}); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the grant is signed again", func() bool { return string(r.storedGrant(t)) != string(before) })
	young := &token.Keyring{} // without the old key
	if err := young.Put(token.KeyID(public), public); err != nil {
		t.Fatal(err)
	}
	if got := r.standing(t, young); got != consent.Allowed {
		t.Errorf("without the old key: standing %d, want the tool allowed", got)
	}
}
