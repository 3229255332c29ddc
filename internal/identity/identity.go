package identity

import "slices"

// Role is what a caller may do.
type Role string

// The roles. An agent calls tools; a user does, and decides what their own
// agents asked for; an approver decides for others; an admin changes agents and
// grants; an auditor reads the audit trail; a remote is a process that runs tools, and
// calls none.
const (
	Agent    Role = "agent"
	User     Role = "user"
	Approver Role = "approver"
	Admin    Role = "admin"
	Auditor  Role = "auditor"
	Remote   Role = "remote"
)

// Roles returns the closed set.
func Roles() []Role { return []Role{Agent, User, Approver, Admin, Auditor, Remote} }

// Principal is who makes a request.
type Principal struct {
	// Tenant is never empty. User and Agent are empty where the credential
	// names none; Name is what the credential is called in the log and audit.
	Tenant, User, Agent, Name string
	Roles                     []Role
	// Open says that no credential was asked for (loopback): the caller is who
	// it says, and holds every role.
	Open bool
}

// Anyone is the principal of a request where no credential is asked for.
func Anyone(tenant string) Principal {
	return Principal{Tenant: tenant, Name: "local", Roles: Roles(), Open: true}
}

// Has reports whether the principal holds one of the roles.
func (p Principal) Has(roles ...Role) bool {
	return slices.ContainsFunc(roles, func(r Role) bool { return slices.Contains(p.Roles, r) })
}
