package api

import (
	"cmp"
	"strings"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// The roles for operations. An operation may also check the owner of a consent.
var (
	everyone  = identity.Roles()
	callers   = []identity.Role{identity.Agent, identity.User, identity.Approver, identity.Admin}
	viewers   = append([]identity.Role{identity.Auditor}, callers...)
	deciders  = []identity.Role{identity.User, identity.Approver}
	keepers   = []identity.Role{identity.User, identity.Approver, identity.Admin}
	onlookers = []identity.Role{identity.User, identity.Approver, identity.Admin, identity.Auditor}
	auditors  = []identity.Role{identity.Auditor, identity.Admin}
	admins    = []identity.Role{identity.Admin}
	sharers   = []identity.Role{identity.Approver, identity.Admin}
	owners    = []identity.Role{identity.User, identity.Admin}
	providers = []identity.Role{identity.Remote, identity.Admin}
	runners   = []identity.Role{identity.Agent, identity.User, identity.Admin, identity.Auditor}
	watchers  = []identity.Role{identity.Admin, identity.Auditor, identity.User}
)

// Permits returns nil if by holds one of the operation's roles, otherwise the error
// forbidden. A transport that serves an operation itself must call it first.
func (op Operation) Permits(by identity.Principal) error {
	if len(op.Roles) == 0 || by.Has(op.Roles...) {
		return nil
	}
	names := make([]string, len(op.Roles))
	for i, role := range op.Roles {
		names[i] = string(role)
	}
	return Forbidden("%s needs the role %s, which this credential does not hold", op.Name, strings.Join(names, " or "))
}

// narrow returns the principal when the request names a user and an agent. Empty names
// are ignored.
func narrow(in Input, user, agent string) (identity.Principal, error) {
	if err := optionalName("user", user); err != nil {
		return identity.Principal{}, err
	}
	if err := optionalName("agent", agent); err != nil {
		return identity.Principal{}, err
	}
	by, err := in.By.Narrow(in.Tenant, user, agent)
	if err != nil {
		return identity.Principal{}, Forbidden("%v", err)
	}
	return by, nil
}

// whose returns the user whose items the caller may see: for callers with one of the
// wide roles the named user, or all with an empty name, and otherwise the caller.
func whose(in Input, named string, wide ...identity.Role) (string, error) {
	if in.By.Has(wide...) {
		return named, optionalName("user", named)
	}
	by, err := narrow(in, named, "")
	if err == nil && by.User == "" {
		err = Forbidden("this credential names no user, so the request must: set user")
	}
	return by.User, err
}

func named(s protocol.Speaker) string { return cmp.Or(s.By, s.Context.User) }

// personOf returns the person who decides: an agent without a person cannot.
func personOf(s protocol.Speaker, in Input) (identity.Principal, error) {
	by, err := narrow(in, named(s), s.Context.Agent)
	if err == nil && by.Agent != "" && by.User == "" {
		err = Forbidden("the agent %q cannot decide this: a person must", by.Agent)
	}
	return by, err
}
