package connect

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/protocol"
)

// Begin begins a connection without a waiting call: by a code that the person enters at the
// provider, or by a link, if the provider has no codes or browser is set.
func (s *Service) Begin(ctx context.Context, tenant, user, service string, browser bool) (protocol.Connection, error) {
	reg, err := s.registered(ctx, tenant, service)
	if err != nil {
		return protocol.Connection{}, err
	}
	p, end, err := s.provider(ctx, reg)
	if err != nil {
		return protocol.Connection{}, err
	}
	defer end()
	id, now := linkPrefix+random()+random(), time.Now()
	a := &attempt{Tenant: tenant, User: user, Service: service, Registration: reg.ID, Link: id, Expires: now.Add(flowTime)}
	code := ""
	switch {
	case p.Device != "" && !browser:
		d, err := p.StartDevice(ctx)
		if err != nil {
			return protocol.Connection{}, err
		}
		code = d.Code
		a.Expires, a.Interval, a.Next = d.Expires, d.Interval, now.Add(d.Interval)
		a.Device = &deviceTexts{Page: d.Page, Complete: d.Complete, UserCode: d.UserCode}
	case s.Public == "":
		return protocol.Connection{}, noPage()
	}
	value, err := s.encode(ctx, a, code)
	if err != nil {
		return protocol.Connection{}, err
	}
	life := max(time.Until(a.Expires)+keptAfter, time.Second)
	if err := s.add(ctx, a.who(), linkKey(id), value, life); err != nil {
		return protocol.Connection{}, err
	}
	return s.shown(a), nil
}

// shown returns an attempt as its person sees it.
func (s *Service) shown(a *attempt) protocol.Connection {
	c := protocol.Connection{ID: a.Link, Status: a.Status, Service: a.Service, User: a.User, ExpiresAt: a.Expires.UTC().Truncate(time.Second)}
	if c.Status == "" {
		c.Status = protocol.ConnectionPending
		if time.Now().After(a.Expires) {
			c.Status = protocol.ConnectionExpired
		}
	}
	if a.Device == nil {
		c.ConnectURL = s.Page() + a.Link
		return c
	}
	c.Device = &protocol.DeviceCode{
		VerificationURI: a.Device.Page, VerificationURIComplete: a.Device.Complete, UserCode: a.Device.UserCode,
		IntervalSeconds: int((a.Interval + time.Second - 1) / time.Second),
	}
	return c
}

// Status returns a connection of a person. With a device code the provider is asked, as
// often as it allows.
func (s *Service) Status(ctx context.Context, tenant, user, service, id string) (protocol.Connection, error) {
	a, code, revision, err := s.link(ctx, id)
	if err != nil {
		return protocol.Connection{}, err
	}
	if a == nil || a.who() != (who{tenant, user, service}) {
		return protocol.Connection{}, unknown()
	}
	if a.Device != nil && a.Status == "" && time.Now().Before(a.Expires) && !time.Now().Before(a.Next) {
		err = s.poll(ctx, linkKey(id), a, code, revision)
	}
	return s.shown(a), err
}

// Test makes one request with an account, or examines a registration if user is empty.
func (s *Service) Test(ctx context.Context, tenant, user, service string) (protocol.ServiceTested, error) {
	reg, err := s.registered(ctx, tenant, service)
	if err != nil {
		return protocol.ServiceTested{}, err
	}
	if user == "" {
		return s.testRegistration(ctx, reg), nil
	}
	return s.testAccount(ctx, who{tenant, user, service}, reg)
}

// IsAccount reports whether an entry is an account of a person, or the registration that
// accounts are connected with.
func (s *Service) IsAccount(ctx context.Context, tenant, user, service, label string) (bool, error) {
	if label != services.DefaultLabel {
		return false, nil
	}
	return s.Store.IsAccount(ctx, tenant, user, service)
}
