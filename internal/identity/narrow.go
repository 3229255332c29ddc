package identity

import "cmp"

// Narrow returns the principal for a request that names this tenant, user and agent, by
// the table in the package comment; empty names are ignored. Its error is a [*Failure]
// with the status 403. The caller must validate the form of the names.
func (p Principal) Narrow(tenant, user, agent string) (Principal, error) {
	if tenant != "" && tenant != p.Tenant {
		return Principal{}, otherThan("tenant", tenant)
	}
	if !p.Open && p.User != "" && user != "" && user != p.User {
		return Principal{}, otherThan("user", user)
	}
	if !p.Open && p.Agent != "" && agent != "" && agent != p.Agent {
		return Principal{}, otherThan("agent", agent)
	}
	p.User, p.Agent = cmp.Or(user, p.User), cmp.Or(agent, p.Agent)
	return p, nil
}

func otherThan(what, name string) error {
	return forbidden("the credential is not for the %s %.80q; leave the %s out, or use a credential of its own", what, name, what)
}
