package identity

import (
	"slices"
	"time"
)

// Role is a set of rights of a caller.
type Role string

// The roles. An agent calls tools; a user does, and decides requests of their own
// agents; an approver decides for others; an admin changes agents and grants; an
// auditor reads the audit trail; a remote is a process that runs tools, and calls none.
const (
	Agent    Role = "agent"
	User     Role = "user"
	Approver Role = "approver"
	Admin    Role = "admin"
	Auditor  Role = "auditor"
	Remote   Role = "remote"
)

// Roles returns all roles.
func Roles() []Role { return []Role{Agent, User, Approver, Admin, Auditor, Remote} }

// Principal is the identity of a caller.
type Principal struct {
	// Tenant is never empty. User and Agent are empty if the credential names none;
	// Name is the credential's name in the log and audit.
	Tenant, User, Agent, Name string
	Roles                     []Role
	// Open is set if no credential was required (loopback): the caller's names are not
	// verified, and it holds every role.
	Open bool
	// SessionEnds is set if a session identified the caller, in place of a credential.
	SessionEnds time.Time
}

// Anyone returns the principal of a request that requires no credential.
func Anyone(tenant string) Principal {
	return Principal{Tenant: tenant, Name: "local", Roles: Roles(), Open: true}
}

// Has reports whether the principal holds one of the roles.
func (p Principal) Has(roles ...Role) bool {
	return slices.ContainsFunc(roles, func(r Role) bool { return slices.Contains(p.Roles, r) })
}
