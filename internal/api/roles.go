package api

import (
	"cmp"
	"strings"

	"github.com/helve-dev/helve/internal/identity"
)

// Who may ask for what. An operation may look closer, at whose consent it is.
var (
	callers   = []identity.Role{identity.Agent, identity.User, identity.Approver, identity.Admin}
	deciders  = []identity.Role{identity.User, identity.Approver}
	keepers   = []identity.Role{identity.User, identity.Approver, identity.Admin}
	onlookers = []identity.Role{identity.User, identity.Approver, identity.Admin, identity.Auditor}
	auditors  = []identity.Role{identity.Auditor, identity.Admin}
	admins    = []identity.Role{identity.Admin}
	providers = []identity.Role{identity.Remote, identity.Admin}
	watchers  = []identity.Role{identity.Admin, identity.Auditor, identity.User}
)

// Permits returns nil if by holds one of the operation's roles, and else the
// error of the request, forbidden. A transport that answers an operation itself
// asks it first.
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

// narrow returns who acts when the request names a user and an agent. Empty
// names say nothing.
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

// whose returns the user whose things a caller may see: anybody's, or with an
// empty name all, for those who hold one of the wide roles, and otherwise the
// caller's own.
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

// Speaker is how a body says who sends it. A credential is believed before it.
type Speaker struct {
	By      string         `json:"by,omitempty"`
	Context SpeakerContext `json:"context,omitzero"`
}

// SpeakerContext is the long form of a Speaker, as execute has it.
type SpeakerContext struct {
	User  string `json:"user,omitempty"`
	Agent string `json:"agent,omitempty"`
}

func (s Speaker) user() string { return cmp.Or(s.By, s.Context.User) }

// person returns who decides, which is a person: an agent that works for
// nobody cannot.
func (s Speaker) person(in Input) (identity.Principal, error) {
	by, err := narrow(in, s.user(), s.Context.Agent)
	if err == nil && by.Agent != "" && by.User == "" {
		err = Forbidden("the agent %q cannot decide this: a person must", by.Agent)
	}
	return by, err
}
