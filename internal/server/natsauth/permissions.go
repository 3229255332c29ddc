package natsauth

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// Permissions lists all the subjects to which a user may publish and subscribe.
type Permissions struct {
	Publish, Subscribe []string
	// Answer is set if the user may reply once to each request, on any subject.
	Answer bool
}

// Permissions returns the permissions of a user below prefix, "helve.v1" by default.
// The error names the problem of the user.
func (u User) Permissions(prefix string) (Permissions, error) {
	u, err := u.withDefaults()
	if err != nil {
		return Permissions{}, err
	}
	if err := checkPrefix(prefix); err != nil {
		return Permissions{}, err
	}
	var p Permissions
	switch {
	case u.Apart:
		p = ofApart(prefix, u)
	case u.Role == Dispatcher:
		p = ofDispatcher(prefix)
	case u.Role == Worker:
		p = ofWorker(prefix, u.Pools, u.Affinity)
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

// ofFrontEnd returns the operations of the role, and the subjects to which it may
// subscribe.
func ofFrontEnd(prefix string, u User) Permissions {
	var p Permissions
	role := identity.Role(u.Role)
	listens := false
	for _, op := range api.Operations() {
		switch {
		case len(op.Roles) > 0 && !slices.Contains(op.Roles, role):
		case role == identity.Auditor && (strings.HasPrefix(op.Name, "calls.") && op.Name != "calls.list" || op.Name == "programs.get"):
			// over HTTP, where viewing is recorded
		case op.Name == api.Events: // on NATS it is a subscription, not a request
			listens = true
		default:
			p.Publish = append(p.Publish, under(prefix, u.Tenant, "api."+op.Name)...)
		}
	}
	// The subjects of events name no person, and viewing another person's call must be
	// recorded. So neither a person's nor an auditor's credential may subscribe.
	if listens && u.Person == "" && role != identity.Auditor {
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

// run adds the permissions to run tools: to receive calls only in the queue group, to
// receive cancellations, and to publish progress on a subject that contains a secret.
func (p *Permissions) run(prefix string, u User) {
	subjects := []string{"remote.>"}
	if len(u.Tools) > 0 {
		subjects = each(u.Tools, func(name string) []string { return []string{"remote." + name} })
	}
	for _, subject := range under(prefix, u.Tenant, subjects...) {
		p.Subscribe = append(p.Subscribe, subject+" "+peer.QueueRemote)
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
