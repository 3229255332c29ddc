package connect

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/accounts/services"
)

// TestScopes: an account keeps the scopes that it was connected for, although an admin has
// set others since.
func TestScopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{Life: time.Hour, NoScope: true})
	fields := w.provider.Fields()
	w.register(fields)
	w.connect("ann")
	first := w.account("ann")
	fields["scopes"] = "read write admin"
	w.register(fields)
	if a := w.services[0].Answer(t.Context(), ask("ann", services.HashOf(first.Access))); a.Value == nil {
		t.Fatalf("Answer = %+v", a)
	}
	if now := w.account("ann"); first.Scopes != "read write" || now.Scopes != first.Scopes || now.Access == first.Access {
		t.Errorf("the scopes are %q, were %q", now.Scopes, first.Scopes)
	}
}
