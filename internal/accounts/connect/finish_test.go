package connect

import (
	"errors"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/tool"
)

// TestFinishOfPerson: what a person with a credential started ends with that credential. A
// cookie alone may have been set by somebody else, whose account it would become.
func TestFinishOfPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Discovered())
	s := w.services[0]
	page, cookie, err := s.Start(t.Context(), Target{Tenant: "acme", User: "ann", Service: "cloud", Known: true})
	if err != nil {
		t.Fatal(err)
	}
	answer := w.agree(page)
	if _, err := s.Finish(t.Context(), answer, Bringer{Cookie: cookie.Value}); !errors.Is(err, ErrUnsigned) {
		t.Errorf("the cookie alone: %v", err)
	}
	if _, err := s.Finish(t.Context(), answer, Bringer{Tenant: "acme", User: "bob", Cookie: cookie.Value}); kindOf(err) != tool.NotFound {
		t.Errorf("another person, with the cookie: %v", err)
	}
	if n := w.provider.Requests("/token", ""); n != 0 || w.account("ann") != nil {
		t.Errorf("%d requests for tokens", n)
	}
	if _, err := s.Finish(t.Context(), answer, Bringer{Tenant: "acme", User: "ann"}); err != nil || w.account("ann") == nil {
		t.Errorf("the person: %v", err)
	}
}
