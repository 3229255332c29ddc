package consent_test

import (
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// TestLastingYesIsForTheHostsShown checks that "always" for an outward call remembers
// the hosts of that call, and adds them to those that were remembered before.
func TestLastingYesIsForTheHostsShown(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	person := identity.Principal{Tenant: "default", Name: "local", Roles: identity.Roles(), Open: true}
	bucket, err := r.parker.Queue.Conn.Bucket(ctx, streams.BucketGrants)
	if err != nil {
		t.Fatal(err)
	}
	grants := &consent.Grants{Bucket: bucket, Ring: r.ring}
	for _, step := range []struct {
		hosts, want []string
	}{
		{[]string{"a.example"}, []string{"a.example"}},
		{[]string{"b.example:81"}, []string{"b.example:81", "a.example"}},
		{[]string{"a.example"}, []string{"a.example", "b.example:81"}},
		{nil, []string{"*"}}, // a call that names none
		{[]string{"c.example"}, []string{"c.example"}},
	} {
		e, ask := r.next()
		ask.Request.Scopes.Hosts, ask.Request.Hosts = []string{"*"}, step.hosts
		if err := r.parker.Park(ctx, e, ask); err != nil {
			t.Fatal(err)
		}
		if _, err := r.service.Decide(ctx, "default", r.consentOf(t, e.ID), consent.Decision{Grant: true, Remember: protocol.RememberAlways},
			person); err != nil {
			t.Fatal(err)
		}
		queuetest.Receive(t, r.resumed, "granted call")
		_, grant, err := grants.Find(ctx, "default", e.User, "", consent.Subject{Tool: e.Tool})
		if err != nil || grant == nil || grant.Scopes == nil || !slices.Equal(grant.Scopes.Hosts, step.want) ||
			!slices.Equal(grant.Scopes.Paths, ask.Request.Scopes.Paths) {
			t.Errorf("a yes to %q is remembered as %+v, %v, want the hosts %q", step.hosts, grant, err, step.want)
		}
	}
}
