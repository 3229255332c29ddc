package natsauth

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/tool"
)

// Role is what a credential is for.
type Role string

// The roles of Helve's own processes. The others are those of package identity.
const (
	Dispatcher Role = "dispatcher"
	Worker     Role = "worker"
)

// Roles returns every role, Helve's own first.
func Roles() []Role {
	all := []Role{Dispatcher, Worker}
	for _, role := range identity.Roles() {
		all = append(all, Role(role))
	}
	return all
}

// own reports whether the role is of a process of Helve, not of a tenant.
func (r Role) own() bool { return r == Dispatcher || r == Worker }

// User is one credential.
type User struct {
	Role Role
	// Tenant is whom a front end's credential is for; empty for Helve's own.
	Tenant string
	// Name tells apart the credentials of a role; the role's name if empty.
	Name string
	// Person is the only person whose requests for consent the credential
	// hears; empty for everybody of the tenant. Only for the role user.
	Person string
	// Tools are those that a process runs; every tool of the tenant if there are none.
	// Only for the role remote.
	Tools []string
	// Pools are those a worker serves; "default" if there are none. Only for
	// the role worker.
	Pools []string
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// withDefaults fills in what may be left out, and says what is wrong.
func (u User) withDefaults() (User, error) {
	if u.Name == "" {
		u.Name = string(u.Role)
	}
	if u.Role == Worker && len(u.Pools) == 0 {
		u.Pools = []string{"default"}
	}
	switch {
	case !slices.Contains(Roles(), u.Role):
		return u, fmt.Errorf("role is %.40q; want one of %v", u.Role, Roles())
	case u.Role.own() && u.Tenant != "":
		return u, fmt.Errorf("a %s serves every tenant; leave the tenant out", u.Role)
	case !u.Role.own() && !nameForm.MatchString(u.Tenant):
		return u, notName("tenant", u.Tenant)
	case !nameForm.MatchString(u.Name):
		return u, notName("name", u.Name)
	case u.Person != "" && u.Role != Role(identity.User):
		return u, fmt.Errorf("only the role user can be one person's; leave the user out")
	case u.Person != "" && !nameForm.MatchString(u.Person):
		return u, notName("user", u.Person)
	case len(u.Pools) > 0 && u.Role != Worker:
		return u, fmt.Errorf("only a worker serves pools; leave them out")
	}
	if len(u.Tools) > 0 && u.Role != Role(identity.Remote) {
		return u, fmt.Errorf("only the role remote runs tools; leave them out")
	}
	for _, name := range u.Tools {
		if !tool.ValidName(name) {
			return u, fmt.Errorf("%.80q is not the name of a tool", name)
		}
	}
	for _, pool := range u.Pools {
		if !nameForm.MatchString(pool) {
			return u, notName("pool", pool)
		}
	}
	return u, nil
}

func notName(what, text string) error {
	return fmt.Errorf("%s must be 1 to 64 letters, digits, - and _, but it is %.80q", what, text)
}

// Account is the NATS account the user is in.
func (u User) Account() string {
	if u.Role.own() {
		return ownAccount
	}
	return tenantAccount(u.Tenant)
}

const ownAccount = "HELVE"

func tenantAccount(tenant string) string { return ownAccount + "-" + tenant }

// File is what the files of the credential are called, without their endings.
func (u User) File() string {
	if u.Role.own() {
		return u.Name
	}
	return u.Tenant + "." + u.Name
}

// Inbox is what all reply subjects of the user begin with. Nobody else hears
// them.
func (u User) Inbox() string { return inboxOf(u.Role) + "." + u.Name }

func inboxOf(role Role) string { return "_INBOX_" + string(role) }
