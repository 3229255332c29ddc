package consent

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// TestRevision: the revision of an inbox changes with its requests and verdicts, and with
// those of nobody else; a wait for a change ends with it, or with its context.
func TestRevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &Service{inbox: newInbox()}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		now := func(tenant, user string) string { return svc.Revision(ended, tenant, user, "") }
		ask := func(id, user string) {
			svc.inbox.asked(1, "acme", encoded(t, protocol.Consent{ID: id, User: user, ExpiresAt: noon}))
		}
		mine, theirs, all, other := now("acme", "u1"), now("acme", "u2"), now("acme", ""), now("beta", "")
		if got := svc.Revision(ended, "acme", "u1", mine); got != mine {
			t.Errorf("without a change the revision is %s, was %s", got, mine)
		}

		changed := make(chan string)
		go func() { changed <- svc.Revision(t.Context(), "acme", "u1", mine) }()
		synctest.Wait()
		ask("c2", "u2")
		synctest.Wait()
		select {
		case got := <-changed:
			t.Fatalf("a request to another person ended the wait: %s", got)
		default:
		}
		if now("acme", "u1") != mine || now("acme", "u2") == theirs || now("acme", "") == all || now("beta", "") != other {
			t.Error("a request must change the revisions of its person and tenant, and no others")
		}
		ask("c1", "u1")
		asked := <-changed
		if asked == mine || asked != now("acme", "u1") {
			t.Errorf("after a request the revision is %s, was %s", asked, mine)
		}
		ask("c1", "u1") // the same, delivered again
		if now("acme", "u1") != asked {
			t.Error("a request that is delivered again is no change")
		}
		svc.inbox.decided("acme", encoded(t, protocol.Consent{ID: "c1", User: "u1", Status: protocol.DeniedConsent}))
		decided := now("acme", "u1")
		if decided == asked {
			t.Error("a verdict is no change")
		}
		svc.inbox.forget(noon.Add(time.Hour))
		if now("acme", "u1") == decided || now("acme", "u2") == theirs {
			t.Error("u1 has no entries and u2 has one")
		}
		ask("c3", "u1")
		if again := now("acme", "u1"); again == mine || again == asked || again == decided {
			t.Error("a revision was used twice")
		}
	})
}
