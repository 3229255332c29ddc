package identity

import "testing"

func TestSpeaksFor(t *testing.T) {
	who := func(user, agent string, roles ...Role) Principal {
		return Principal{Tenant: "acme", User: user, Agent: agent, Roles: roles}
	}
	for _, tt := range []struct {
		name        string
		by          Principal
		user, agent string
		want        bool
	}{
		{"a person, their call", who("ann", "", User), "ann", "", true},
		{"a person, their agent's call", who("ann", "", User), "ann", "bot", true},
		{"a person, another's call", who("ann", "", User), "bob", "", false},
		{"a person, a call of nobody", who("ann", "", User), "", "", false},
		{"an approver, another's call", who("ann", "", User, Approver), "bob", "", false},
		{"an agent, its call", who("", "bot", Agent), "", "bot", true},
		{"an agent, its call for a person", who("", "bot", Agent), "ann", "bot", true},
		{"an agent, another agent's call", who("", "bot", Agent), "ann", "crow", false},
		{"an agent, a person's own call", who("", "bot", Agent), "ann", "", false},
		{"a person's agent, its call", who("ann", "bot", Agent), "ann", "bot", true},
		{"a person's agent, the person's other agent", who("ann", "bot", Agent), "ann", "crow", false},
		{"a person's agent, itself for another", who("ann", "bot", Agent), "bob", "bot", false},
		{"a front end, anybody's call", who("", "", User), "ann", "bot", true},
		{"an admin of no name, a person's call", who("", "", Admin), "ann", "", false},
		{"an admin of no name, a call of nobody", who("", "", Admin), "", "", true},
		{"an auditor, a call of nobody", who("", "", Auditor), "", "", false},
		{"a remote, a call of nobody", who("", "", Remote), "", "", false},
		{"nobody at all", Principal{}, "", "", false},
		{"loopback, anybody's call", Anyone("acme"), "ann", "bot", true},
	} {
		if got := tt.by.SpeaksFor(tt.user, tt.agent); got != tt.want {
			t.Errorf("%s: SpeaksFor(%q, %q) = %v, want %v", tt.name, tt.user, tt.agent, got, tt.want)
		}
	}
}

func TestOversees(t *testing.T) {
	for _, role := range Roles() {
		want := role == Admin || role == Auditor
		if got := (Principal{Roles: []Role{role}}).Oversees(); got != want {
			t.Errorf("role %s oversees: %v, want %v", role, got, want)
		}
	}
}
