package identity

// SpeaksFor reports whether the principal could itself make calls of this user and
// agent, so that it may see and cancel them. Both names are empty for a call that named
// neither.
func (p Principal) SpeaksFor(user, agent string) bool {
	if p.Open {
		return true
	}
	if p.User != "" && p.User != user || p.Agent != "" && p.Agent != agent {
		return false
	}
	// A credential without user and agent speaks for everybody if it is a front end's.
	// An admin's does so for calls that name nobody.
	return p.Has(Agent, User, Approver) || p.Has(Admin) && p.User == user && p.Agent == agent
}

// Oversees reports whether the principal may see calls of everybody in its tenant.
func (p Principal) Oversees() bool { return p.Has(Admin, Auditor) }
