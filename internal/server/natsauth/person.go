package natsauth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/identity"
)

// personal is the account of one person's credential in the template. Its import maps
// the tenant's operations to subjects that name the person, to which no other account
// may publish; so the dispatcher takes the person from the subject.
type personal struct {
	Account, Threshold string
	// API is the subject that the person requests, and Lent the subject it is mapped
	// to.
	API, Lent string
	Streams   []string
	User      credential
}

func (s Server) personal(c credential) personal {
	return personalOf(s.Prefix, c)
}

func personalOf(prefix string, c credential) personal {
	one := func(below string) string { return under(prefix, c.Tenant, below)[0] }
	return personal{
		Account: c.Account(), Threshold: answerTime, User: c,
		API: one("api.>"), Lent: one("as." + c.Person + ".api.>"),
		Streams: under(prefix, c.Tenant, "consent.request."+c.Person, "consent.decision."+c.Person),
	}
}

// persons returns the accounts of single persons.
func (s Server) persons() []User {
	var users []User
	for _, entry := range s.Persons {
		tenant, person, _ := strings.Cut(entry, "/")
		users = append(users, User{Role: Role(identity.User), Tenant: tenant, Person: person})
	}
	return users
}

func (s Server) checkPersons() error {
	accounts := map[string]string{}
	for _, name := range s.Tenants {
		accounts[tenantAccount(name)] = "the tenant " + name
	}
	for i, u := range s.persons() {
		switch {
		case u.Person == "":
			return fmt.Errorf("person %.80q must be TENANT/USER", s.Persons[i])
		case !slices.Contains(s.Tenants, u.Tenant):
			return fmt.Errorf("person %.80q is of a tenant that is not among those of the server", s.Persons[i])
		case slices.Contains(identity.Roles(), identity.Role(u.Person)):
			return fmt.Errorf("person %.80q has the name of a role, whose files it would share; make its credential with --user and --name",
				s.Persons[i])
		case accounts[u.Account()] != "":
			return fmt.Errorf("person %.80q would share the account %s with %s", s.Persons[i], u.Account(), accounts[u.Account()])
		}
		accounts[u.Account()] = "the person " + s.Persons[i]
	}
	return nil
}
