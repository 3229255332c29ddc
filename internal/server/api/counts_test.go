package api

import (
	"context"
	"testing"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// waitingFor has two consents for ada and one for bob.
type waitingFor struct{ Consents }

func (waitingFor) List(_ context.Context, _ string, f consent.Filter) ([]protocol.Consent, string, error) {
	n := map[string]int{"": 3, "ada": 2, "bob": 1}[f.User]
	if f.Status != protocol.PendingConsent {
		n = 90
	}
	return make([]protocol.Consent, n), "", nil
}

type letters struct{ Dead }

func (letters) List(_ context.Context, _ string, _ uint64, limit int) ([]protocol.DeadLetter, error) {
	return make([]protocol.DeadLetter, min(limit, 1000)), nil
}

type reported struct{}

func (reported) Check(context.Context) protocol.CheckReport {
	return protocol.CheckReport{Findings: []protocol.Finding{
		{Level: protocol.FindingOK}, {Level: protocol.FindingError}, {Level: protocol.FindingWarning}, {Level: protocol.FindingError},
	}}
}

type seen struct{ Upstreams }

func (seen) List(context.Context, string) ([]protocol.UpstreamTool, error) {
	return []protocol.UpstreamTool{{State: protocol.UpstreamNew}, {State: protocol.UpstreamAccepted}, {State: protocol.UpstreamChanged}}, nil
}

// TestCounts: everybody is told what they may list, and no look is recorded.
func TestCounts(t *testing.T) {
	t.Parallel()
	s := New(Parts{Dead: letters{}, Checks: reported{}, Upstreams: seen{}, Gate: Gate{Consents: waitingFor{}}})
	for _, tt := range []struct {
		who  identity.Principal
		want string
	}{
		{as("ada", "", identity.User), `{"own":2}`},
		{as("bob", "", identity.Approver), `{"consents":3,"own":1}`},
		{as("eve", "", identity.Auditor), `{"consents":3,"own":0,"dead":50,"findings":{"errors":2,"warnings":1}}`},
		{as("root", "", identity.Admin), `{"consents":3,"own":0,"dead":50,"upstream":2,"findings":{"errors":2,"warnings":1}}`},
		{identity.Principal{Tenant: "other", User: "root", Roles: []identity.Role{identity.Admin}}, `{"consents":3,"own":0,"dead":50}`},
		{as("", "", identity.User), `{}`},
	} {
		reply, err := do(s, "system.counts", Input{Tenant: tt.who.Tenant, By: tt.who})
		if err != nil || string(reply.Body) != tt.want {
			t.Errorf("%+v: %s %v, want %s", tt.who, reply.Body, err, tt.want)
		}
	}
	if reply, err := do(New(Parts{}), "system.counts", Input{}); err != nil || string(reply.Body) != `{}` {
		t.Errorf("without parts: %s %v", reply.Body, err)
	}
}

// TestHistoryRange: metrics.history goes back as far as is asked for.
func TestHistoryRange(t *testing.T) {
	t.Parallel()
	for params, want := range map[[2]string]string{
		{"", ""}: "1h0m0s", {"1h", ""}: "1h0m0s", {"24h", ""}: "24h0m0s", {"7d", ""}: "168h0m0s", {"", "5"}: "5m0s", {"", "60"}: "1h0m0s",
		{"1h", "5"}: "", {"2h", ""}: "", {"7", ""}: "", {"", "0"}: "", {"", "61"}: "", {"", "x"}: "",
	} {
		got, err := historyRange(Input{Params: map[string]string{"range": params[0], "minutes": params[1]}})
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%q: %v %v, want %q", params, got, err, want)
		}
	}
}
