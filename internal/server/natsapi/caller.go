package natsapi

import (
	"context"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/telemetry"
)

// Options configure the identification of senders.
type Options struct {
	// Auth identifies the credential in the header Authorization. If it is nil or off,
	// no credential is read.
	Auth *identity.Authenticator
	// Trusted accepts requests without a credential even if Auth is on, because the
	// NATS server's permissions decide who may publish to which subject.
	Trusted bool
	// Answered, if set, is called for each answer, with the status that it has over HTTP.
	Answered func(operation string, status int)
	// Tracing makes a span of each request; it may be nil.
	Tracing *telemetry.Tracing
	// Longest, if set, returns the size of the longest answer that a message can hold.
	Longest func() int64
}

// Asker is the identity in the subject of a request. Person is empty if the subject
// names none.
type Asker struct{ Tenant, Person string }

// caller returns the sender of a request. Its error is a [*api.RequestError].
func (o Options) caller(ctx context.Context, from Asker, authorization string) (identity.Principal, error) {
	by := identity.Anyone(from.Tenant)
	switch {
	case o.Auth.On() && (authorization != "" || !o.Trusted):
		var err error
		if by, err = o.Auth.Identify(ctx, authorization); err == nil {
			by, err = by.Narrow(from.Tenant, from.Person, "")
		}
		if err != nil {
			failure, _ := api.AsRequestError(err)
			return identity.Principal{}, failure
		}
	case from.Person != "":
		by = identity.Principal{Tenant: from.Tenant, User: from.Person, Name: "nats", Roles: []identity.Role{identity.User}}
	}
	return by, nil
}
