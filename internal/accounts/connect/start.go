package connect

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/tool"
)

// Target is the account that a person is about to connect.
type Target struct {
	Tenant, User, Service string
	// Link is the id of the connection, empty if it began with a consent.
	Link string
	// Bare is set if the browser has no credential, and Known if it has one of the person.
	Bare, Known bool
}

// IsLink reports whether an id is that of a connection, and not of a consent.
func IsLink(id string) bool { return strings.HasPrefix(id, linkPrefix) }

// Cookie is set in the browser of the person, who is recognized by it at the end.
type Cookie struct {
	Name, Value string
	Life        time.Duration
	// Secure is set if the browser sends it over https only.
	Secure bool
	Path   string
}

// unknown is the error for a link and a state that do not exist, and for those of another
// person: the two look the same.
func unknown() error {
	return tool.Fail(tool.NotFound,
		"this link is not known here: it was used, it has expired, or it is another person's; start again from the request")
}

// Visitor is the browser that opens a link. It has the credential of a person, needs none
// (Open), or has none.
type Visitor struct {
	Tenant, User string
	Open         bool
}

// Opened returns the target of a link. A browser without a credential may open a link that
// nobody has opened, because only its person was given it.
func (s *Service) Opened(ctx context.Context, v Visitor, id string) (Target, error) {
	bare := v.Tenant == ""
	a, secret, revision, err := s.link(ctx, id)
	switch {
	case err != nil:
		return Target{}, err
	case a == nil || a.Device != nil || a.Status != "" || time.Now().After(a.Expires) ||
		!bare && !v.Open && (v.Tenant != a.Tenant || v.User != a.User):
		return Target{}, unknown()
	case bare && a.Opened:
		return Target{}, unknown()
	}
	if bare {
		a.Opened = true
		if err := s.update(ctx, linkKey(id), a, secret, revision); err != nil {
			if errors.Is(err, natsio.ErrExists) {
				return Target{}, unknown()
			}
			return Target{}, err
		}
	}
	return Target{Tenant: a.Tenant, User: a.User, Service: a.Service, Link: id, Bare: bare}, nil
}

// Start stores the state of an attempt, and returns the address at the provider to which
// the browser goes, and the cookie it gets.
func (s *Service) Start(ctx context.Context, t Target) (string, Cookie, error) {
	if s.Public == "" {
		return "", Cookie{}, noPage()
	}
	reg, err := s.registered(ctx, t.Tenant, t.Service)
	if err != nil {
		return "", Cookie{}, err
	}
	p, end, err := s.provider(ctx, reg)
	if err != nil {
		return "", Cookie{}, err
	}
	defer end()
	state, verifier := random()+random(), oauth.NewVerifier()
	cookie := s.cookieOf(state)
	cookie.Value = random() + random()
	a := &attempt{
		Tenant: t.Tenant, User: t.User, Service: t.Service, Link: t.Link, Expires: time.Now().Add(flowTime),
		Registration: reg.ID, Browser: digest(cookie.Value), Redirect: s.callback(), Confirm: t.Bare, Known: t.Known,
	}
	value, err := s.encode(ctx, a, verifier)
	if err != nil {
		return "", Cookie{}, err
	}
	if err := s.add(ctx, a.who(), stateKey(state), value, flowTime); err != nil {
		return "", Cookie{}, err
	}
	return p.AuthorizationURL(state, verifier, a.Redirect), cookie, nil
}

// cookieOf returns the cookie of a state, without its value. Each attempt has its own, so
// that several can be made at a time. Over https its name keeps other hosts of the domain
// from setting it.
func (s *Service) cookieOf(state string) Cookie {
	c := Cookie{Name: "helve_connect_" + digest("cookie " + state)[:16], Path: strings.TrimSuffix(pagePath, "/"), Life: flowTime}
	if strings.HasPrefix(s.Public, "https:") {
		c.Name, c.Secure, c.Path = "__Host-"+c.Name, true, "/"
	}
	return c
}

// CookieName returns the name of the cookie of a state.
func (s *Service) CookieName(state string) string { return s.cookieOf(state).Name }

func noPage() error {
	return tool.Fail(tool.NotConfigured,
		"accounts cannot be connected, because the dispatchers do not know their own address: the operator sets http.public_url")
}
