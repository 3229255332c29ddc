package natsauth

import (
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/identity"
)

func TestFrontEnds(t *testing.T) {
	t.Parallel()
	for _, name := range identity.Roles() {
		role := string(name)
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c := shared.as(t, "acme."+role)
			for _, a := range writes {
				if !c.refusesPublish(t, msg(a.subject, a.body, a.headers...)) {
					t.Errorf("publishing to %s is permitted, but %s", a.subject, a.why)
				}
			}
			for _, subject := range reads {
				if !c.refusesSubscribe(t, strings.ReplaceAll(subject, "agent", other(role))) {
					t.Errorf("listening to %s is permitted", subject)
				}
			}
			for subject, roles := range sometimes {
				if got := !c.refusesSubscribe(t, subject); got != slices.Contains(roles, role) {
					t.Errorf("listening to %s is permitted: %v, want it for %v", subject, got, roles)
				}
			}
			for operation, roles := range mayAsk {
				m := msg("helve.v1.acme.api."+operation, "not JSON")
				if got := !c.refusesPublish(t, m); got != slices.Contains(roles, role) {
					t.Errorf("asking for %s is permitted: %v, want it for %v", operation, got, roles)
				}
			}
		})
	}
}

// other is a role whose inbox is not this one's.
func other(role string) string {
	if role == "agent" {
		return "user"
	}
	return "agent"
}

// TestAPersonsCredential receives that person's requests and no others', and no events.
func TestAPersonsCredential(t *testing.T) {
	t.Parallel()
	may, err := User{Role: "user", Tenant: "acme", Person: "u1"}.Permissions("helve.v1")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"helve.v1.acme.consent.request.u1", "helve.v1.acme.consent.decision.u1", "_INBOX_user.u1.>"}
	if !slices.Equal(may.Subscribe, want) {
		t.Errorf("the person listens to %q, want %q", may.Subscribe, want)
	}
}

// TestNobodyWithoutAKey: there is no way in but a key of the configuration.
func TestNobodyWithoutAKey(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]nats.Option{"nothing": nats.Name(""), "a password": nats.UserInfo("dispatcher", "")} {
		if nc, err := nats.Connect(shared.srv.ClientURL(), option); err == nil {
			nc.Close()
			t.Errorf("the server let in who came with %s", name)
		}
	}
}
