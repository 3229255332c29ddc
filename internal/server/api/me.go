package api

import (
	"context"

	"github.com/helve-dev/helve/protocol"
)

// Me is the name of the operation that names the caller, which signing in answers too.
const Me = "me"

// About holds what me tells besides the caller.
type About struct {
	// Version is that of the dispatcher.
	Version string
	// SignIn lists how people can sign in with a browser.
	SignIn protocol.SignIn
}

func (s *Service) me(_ context.Context, in Input) (Reply, error) {
	by := in.By
	m := protocol.Me{
		User: by.User, Tenant: in.Tenant, Roles: make([]string, len(by.Roles)), Authenticated: !by.Open,
		SignIn: s.About.SignIn, Version: s.About.Version, Name: by.Name, Agent: by.Agent,
	}
	for i, role := range by.Roles {
		m.Roles[i] = string(role)
	}
	if !by.SessionEnds.IsZero() {
		m.SessionEndsAt = &by.SessionEnds
	}
	return answer(m)
}
