package accounts

import (
	"context"
	"errors"
	"net/http"

	"github.com/helve-dev/helve/internal/accounts/connect"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// Connector implements [api.Connector].
type Connector struct {
	Accounts *connect.Service
	Consents *consent.Service
}

// Cookie implements [api.Connector].
func (c Connector) Cookie(state string) string { return c.Accounts.CookieName(state) }

// Start implements [api.Connector].
func (c Connector) Start(ctx context.Context, by identity.Principal, id string) (start api.ConnectStart, err error) {
	if err := person(by); err != nil {
		return start, err
	}
	var target connect.Target
	if connect.IsLink(id) {
		target, err = c.Accounts.Opened(ctx, connect.Visitor{Tenant: by.Tenant, User: by.User, Open: by.Open}, id)
	} else {
		target, err = c.consent(ctx, by, id)
	}
	if err != nil {
		return start, toldPerson(err)
	}
	target.Known = by.Tenant != "" && !by.Open
	location, cookie, err := c.Accounts.Start(ctx, target)
	if err != nil {
		return start, toldPerson(err)
	}
	return api.ConnectStart{
		Location: location,
		Name:     cookie.Name,
		Cookie:   cookie.Value,
		Path:     cookie.Path,
		Life:     cookie.Life,
		OverTLS:  cookie.Secure,
	}, nil
}

// consent returns the account that a consent requests. For anybody but its person there is
// no such consent.
func (c Connector) consent(ctx context.Context, by identity.Principal, id string) (t connect.Target, err error) {
	if by.Tenant == "" {
		return t, unsigned()
	}
	if !subject.IsName(id) {
		return t, consent.NoSuch()
	}
	r, err := c.Consents.Get(ctx, by.Tenant, id)
	switch {
	case err != nil:
		return t, err
	case r.Kind != protocol.ConsentAccount || !by.Open && by.User != r.User:
		return t, consent.NoSuch()
	case r.Status != protocol.PendingConsent:
		return t, &consent.Error{Kind: consent.Conflict, Msg: "the request for this account is over: it was " + string(r.Status)}
	}
	return connect.Target{Tenant: r.Tenant, User: r.User, Service: r.Service}, nil
}

// Finish implements [api.Connector].
func (c Connector) Finish(ctx context.Context, by identity.Principal, a api.ConnectAnswer) (api.ConnectDone, error) {
	if err := person(by); err != nil {
		return api.ConnectDone{}, err
	}
	if by.Tenant == "" && a.Cookie == "" {
		return api.ConnectDone{}, unsigned()
	}
	bringer := connect.Bringer{Tenant: by.Tenant, User: by.User, Cookie: a.Cookie}
	done, err := c.Accounts.Finish(ctx, connect.Answer{State: a.State, Code: a.Code, Issuer: a.Issuer, Error: a.Error}, bringer)
	if errors.Is(err, connect.ErrUnsigned) {
		err = unsigned()
	}
	status := protocol.ConnectionConnected
	if done.Code != "" {
		status = protocol.ConnectionConfirm
	}
	return api.ConnectDone{Service: done.Service, User: done.User, Status: status, Code: done.Code}, toldPerson(err)
}

// person refuses an agent: an account is connected by its person.
func person(by identity.Principal) error {
	if by.Agent != "" {
		return api.Forbidden("the agent %q cannot connect an account of a person: the person must", by.Agent)
	}
	return nil
}

// unsigned is the error for a browser without a credential where one is needed.
func unsigned() error {
	return &api.RequestError{
		Type:   "unauthenticated",
		Status: http.StatusUnauthorized,
		Msg: "this page needs your own credential, which this browser has not sent; in a terminal, helve config connect SERVICE prints a link " +
			"that needs none",
	}
}

// Connect implements [api.Services].
func (s *Services) Connect(ctx context.Context, at api.ServiceEntry, browser bool) (protocol.Connection, error) {
	begun, err := s.Accounts.Begin(ctx, at.Tenant, at.User, at.Service, browser)
	return begun, toldPerson(err)
}

// Confirm implements [api.Services].
func (s *Services) Confirm(ctx context.Context, at api.ServiceEntry, id, code string) (protocol.Connection, error) {
	done, err := s.Accounts.Confirm(ctx, at.Tenant, at.User, at.Service, id, code)
	return done, toldPerson(err)
}

// Connection implements [api.Services].
func (s *Services) Connection(ctx context.Context, at api.ServiceEntry, id string) (protocol.Connection, error) {
	found, err := s.Accounts.Status(ctx, at.Tenant, at.User, at.Service, id)
	return found, toldPerson(err)
}
