package natsauth

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/tool"
)

// Role is the purpose of a credential.
type Role string

// The roles of Helve's own processes. Package identity defines the others.
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

// own reports whether the role is that of a Helve process, not of a tenant.
func (r Role) own() bool { return r == Dispatcher || r == Worker || r == localRole }

// User is one credential.
type User struct {
	Role Role
	// Tenant is the tenant of a front end's credential; empty for Helve's own.
	Tenant string
	// Name distinguishes the credentials of a role; the role's name if empty.
	Name string
	// Person is the only person for whom the credential acts and whose requests for
	// consent it receives; empty for everyone of the tenant. Only for the role user.
	// The credential is in an account of its own, which enforces the person.
	Person string
	// Tools lists the tools that a process runs; every tool of the tenant if empty.
	// Only for the role remote, and for a desktop, whose worker registers them.
	Tools []string
	// Pools lists the pools of a worker; "default" if empty. Only for the role worker.
	Pools []string
	// Affinity gives the workers lanes of their own (worker.affinity). Only for the
	// role worker.
	Affinity bool
	// Apart puts a worker of one pool into an account of its own. Desktop is the only
	// person whose calls it runs, TENANT/USER; such a worker is always apart.
	Apart   bool
	Desktop string
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// withDefaults fills in the defaults, and returns the first problem.
func (u User) withDefaults() (User, error) {
	if u.Person != "" && !nameForm.MatchString(u.Person) {
		return u, notName("user", u.Person)
	}
	if u.Name == "" {
		u.Name = cmp.Or(u.Person, string(u.Role))
	}
	if u.Role == Worker && len(u.Pools) == 0 {
		u.Pools = []string{defaultPool}
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
	case len(u.Pools) > 0 && u.Role != Worker:
		return u, fmt.Errorf("only a worker serves pools; leave them out")
	}
	if (u.Apart || u.Desktop != "") && (u.Role != Worker || len(u.Pools) != 1 || !u.Apart) {
		return u, fmt.Errorf("only a worker of one pool is in an account of its own; leave it out, or name one pool")
	}
	if tenant, person, ok := strings.Cut(u.Desktop, "/"); u.Desktop != "" &&
		(!ok || !nameForm.MatchString(tenant) || !nameForm.MatchString(person) || u.Pools[0] != desktopPool) {
		return u, fmt.Errorf("desktop %.80q must be TENANT/USER, and the pool %s", u.Desktop, desktopPool)
	}
	if u.Affinity && u.Role != Worker {
		return u, fmt.Errorf("only a worker has lanes of its own; leave the affinity out")
	}
	if len(u.Tools) > 0 && u.Role != Role(identity.Remote) && u.Desktop == "" {
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

// Account returns the NATS account of the user.
func (u User) Account() string {
	if u.Apart {
		return ownAccount + "=" + u.Name
	}
	if u.Role.own() {
		return ownAccount
	}
	if u.Person != "" {
		return tenantAccount(u.Tenant) + "-" + u.Person
	}
	return tenantAccount(u.Tenant)
}

const ownAccount = "HELVE"

func tenantAccount(tenant string) string { return ownAccount + "-" + tenant }

// File returns the names of the credential's files, without their endings.
func (u User) File() string {
	if u.Role.own() {
		return u.Name
	}
	return u.Tenant + "." + u.Name
}

// Inbox returns the prefix of all reply subjects of the user. No other user may
// subscribe to it.
func (u User) Inbox() string {
	if u.Apart {
		return natsio.InboxApart + "." + u.Name
	}
	return inboxOf(u.Role) + "." + u.Name
}

func inboxOf(role Role) string { return "_INBOX_" + string(role) }
