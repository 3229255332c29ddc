package consent_test

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
)

// TestMint: a person mints a token for themselves, an approver for anybody, an agent for
// nobody.
func TestMint(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	spec := consent.MintSpec{User: "ann", TraceID: "0af7651916cd43dd8448eb211c80319c", Tools: []string{"debug.guarded"}, TTL: time.Minute}
	agent := user("ann", identity.Approver)
	agent.Agent = "bot"
	_, _, _, err := r.service.Mint(ctx, "default", spec, agent)
	wantKind(t, "an agent", err, consent.Forbidden)
	_, _, _, err = r.service.Mint(ctx, "default", spec, user("bob"))
	wantKind(t, "somebody else", err, consent.Forbidden)
	for _, by := range []identity.Principal{user("ann"), user("eve", identity.Approver)} {
		text, id, expires, err := r.service.Mint(ctx, "default", spec, by)
		if err != nil || id == "" || time.Until(expires) <= 0 {
			t.Fatalf("Mint = %q, %q, %v, %v", text, id, expires, err)
		}
		if claims, err := r.ring.Verify(text, time.Now()); err != nil || claims.User != "ann" || claims.By != by.Called() {
			t.Errorf("the token holds %+v, %v", claims, err)
		}
	}
	spec.TTL = 24 * time.Hour
	_, _, _, err = r.service.Mint(ctx, "default", spec, user("ann"))
	wantKind(t, "a token for a day", err, consent.BadRequest)
	spec.TTL, spec.Tools = time.Minute, nil
	_, _, _, err = r.service.Mint(ctx, "default", spec, user("ann"))
	wantKind(t, "a token for no tool", err, consent.BadRequest)
}
