package connect

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/tool"
)

// TestErased: when the accounts of a person are ended, the attempts that have begun end too:
// nothing of them is left, and none brings an account back. Those of others go on.
func TestErased(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Discovered())
	s := w.services[0]
	link, err := s.Begin(t.Context(), "acme", "ann", "cloud", true)
	if err != nil {
		t.Fatal(err)
	}
	answer, cookie := w.start(s, "ann")
	others, theirs := w.start(s, "anna")
	if _, n, err := w.services[1].DisconnectAll(t.Context(), "acme", "ann"); n != 0 || err != nil {
		t.Fatalf("DisconnectAll = %d, %v", n, err)
	}
	if _, err := s.Finish(t.Context(), answer, Bringer{Cookie: cookie}); kindOf(err) != tool.NotFound {
		t.Errorf("an answer after the end = %v", err)
	}
	if _, err := s.Opened(t.Context(), Visitor{Tenant: "acme", User: "ann"}, link.ID); kindOf(err) != tool.NotFound {
		t.Errorf("a link after the end = %v", err)
	}
	if left, err := s.Bucket.Keys(t.Context(), "open.acme.ann.*"); len(left) > 0 || err != nil {
		t.Errorf("%v is left, %v", left, err)
	}
	if _, err := s.Finish(t.Context(), others, Bringer{Cookie: theirs}); err != nil || w.account("ann") != nil || w.account("anna") == nil {
		t.Errorf("the attempt of another person = %v", err)
	}
}
