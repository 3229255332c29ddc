package natsauth

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/identity"
)

// Permissions are all the subjects a user may publish to and subscribe to.
type Permissions struct {
	Publish, Subscribe []string
	// Answer says that the user may answer, once, what it is asked, wherever the answer
	// is to go.
	Answer bool
}

// Permissions returns what a user may do below prefix, "helve.v1" by default.
// The error says what is wrong with the user.
func (u User) Permissions(prefix string) (Permissions, error) {
	u, err := u.withDefaults()
	if err != nil {
		return Permissions{}, err
	}
	if err := checkPrefix(prefix); err != nil {
		return Permissions{}, err
	}
	var p Permissions
	switch u.Role {
	case Dispatcher:
		p = ofDispatcher(prefix)
	case Worker:
		p = ofWorker(prefix, u.Pools)
	default:
		p = ofFrontEnd(prefix, u)
	}
	p.Subscribe = append(p.Subscribe, u.Inbox()+".>")
	return p, nil
}

var prefixForm = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

func checkPrefix(prefix string) error {
	if !prefixForm.MatchString(prefix) {
		return fmt.Errorf("prefix %.80q must be words with dots between them, like helve.v1", prefix)
	}
	return nil
}

// ofFrontEnd is the operations of the role, and what it may listen to.
func ofFrontEnd(prefix string, u User) Permissions {
	var p Permissions
	role := identity.Role(u.Role)
	listens := false
	for _, op := range api.Operations() {
		switch {
		case len(op.Roles) > 0 && !slices.Contains(op.Roles, role):
		case op.Name == api.Events: // on NATS it is not asked for but listened to
			listens = true
		default:
			p.Publish = append(p.Publish, under(prefix, u.Tenant, "api."+op.Name)...)
		}
	}
	if listens {
		p.Subscribe = append(p.Subscribe, under(prefix, u.Tenant, "event.>")...)
	}
	person := "*"
	if u.Person != "" {
		person = u.Person
	}
	if role == identity.User || role == identity.Approver {
		p.Subscribe = append(p.Subscribe, under(prefix, u.Tenant, "consent.request."+person, "consent.decision."+person)...)
	}
	if role == identity.Auditor {
		p.Subscribe = append(p.Subscribe, under(prefix, u.Tenant, "audit.>")...)
	}
	if role == identity.Remote {
		p.run(prefix, u)
	}
	return p
}

// run adds what it takes to run tools: to be asked, with others and never beside them,
// to hear of cancelled calls, and to tell of progress on a subject that holds a secret.
func (p *Permissions) run(prefix string, u User) {
	subjects := []string{"remote.>"}
	if len(u.Tools) > 0 {
		subjects = each(u.Tools, func(name string) []string { return []string{"remote." + name} })
	}
	for _, subject := range under(prefix, u.Tenant, subjects...) {
		p.Subscribe = append(p.Subscribe, subject+" "+bus.QueueRemote)
	}
	p.Subscribe = append(p.Subscribe, under(prefix, u.Tenant, "cancel.*")...)
	p.Publish = append(p.Publish, under(prefix, u.Tenant, "progress.*.*")...)
	p.Answer = true
}

// under returns subjects below the tenant, which may be "*".
func under(prefix, tenant string, below ...string) []string {
	return each(below, func(s string) []string { return []string{prefix + "." + tenant + "." + s} })
}

func each(items []string, subjects func(string) []string) []string {
	var all []string
	for _, item := range items {
		all = append(all, subjects(item)...)
	}
	return all
}

func all(lists ...[]string) []string { return slices.Concat(lists...) }
