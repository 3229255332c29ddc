package identity

import (
	"errors"
	"net/http"
	"slices"
	"testing"
)

// The table of the package, line by line, for every role alone and together.
func TestNarrow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                string
		has                 Principal
		tenant, user, agent string
		wantUser, wantAgent string
		refused             bool
	}{
		{"says nothing", Principal{User: "u", Agent: "a"}, "", "", "", "u", "a", false},
		{"says the same", Principal{User: "u", Agent: "a"}, "t", "u", "a", "u", "a", false},
		{"another tenant", Principal{}, "t2", "", "", "", "", true},
		{"another user", Principal{User: "u"}, "", "u2", "", "", "", true},
		{"another agent", Principal{Agent: "a"}, "", "", "a2", "", "", true},
		{"names are not prefixes", Principal{User: "u"}, "", "U", "", "", "", true},
		{"a front end names its user", Principal{Agent: "a"}, "", "u2", "", "u2", "a", false},
		{"a person names an agent", Principal{User: "u"}, "t", "", "a2", "u", "a2", false},
		{"neither is fixed", Principal{}, "", "u2", "a2", "u2", "a2", false},
		{"open", Principal{User: "u", Agent: "a", Open: true}, "t", "u2", "a2", "u2", "a2", false},
		{"open, another tenant", Principal{Open: true}, "t2", "", "", "", "", true},
	} {
		sets := [][]Role{Roles()}
		for _, role := range Roles() {
			sets = append(sets, []Role{role})
		}
		for _, roles := range sets {
			p := tt.has
			p.Tenant, p.Roles = "t", roles
			got, err := p.Narrow(tt.tenant, tt.user, tt.agent)
			if tt.refused {
				var f *Failure
				if !errors.As(err, &f) || f.Status != http.StatusForbidden || got.Tenant != "" || got.Roles != nil {
					t.Errorf("%s, %v: %+v, %v, want nobody and a Failure of 403", tt.name, roles, got, err)
				}
				continue
			}
			if err != nil || got.Tenant != "t" || got.User != tt.wantUser || got.Agent != tt.wantAgent || !slices.Equal(got.Roles, roles) {
				t.Errorf("%s, %v: %+v, %v, want user %q, agent %q", tt.name, roles, got, err, tt.wantUser, tt.wantAgent)
			}
		}
	}
}

func TestAnyoneHoldsEveryRole(t *testing.T) {
	t.Parallel()
	p := Anyone("t")
	for _, role := range Roles() {
		if !p.Has(role) {
			t.Errorf("anyone lacks the role %s", role)
		}
	}
	if one := (Principal{Roles: []Role{User}}); one.Has(Agent, Admin) || !one.Has(Admin, User) {
		t.Error("Has does not mean one of the roles")
	}
}
