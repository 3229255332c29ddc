package connect

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Answer is the answer of a provider, which the person's browser brings.
type Answer struct {
	State, Code, Issuer string
	// Error is the provider's error code, if it or the person has refused.
	Error string
}

// Bringer is the sender of an answer: a person with a credential, or a browser.
type Bringer struct {
	// Tenant and User are those of the credential; empty without one.
	Tenant, User string
	// Cookie is the cookie of the state, empty without one.
	Cookie string
}

// is reports whether the bringer is the person, or the browser, that started the attempt.
func (b Bringer) is(a *attempt) bool {
	if b.User != "" {
		return b.Tenant == a.Tenant && b.User == a.User
	}
	return b.Cookie != "" && subtle.ConstantTimeCompare([]byte(digest(b.Cookie)), []byte(a.Browser)) == 1
}

const (
	// maxParameter bounds a parameter of an answer, in bytes.
	maxParameter = 8 << 10
	// finishTime bounds the end of an attempt.
	finishTime = 30 * time.Second
)

// ErrUnsigned is the error for an attempt of a person with a credential, which a browser
// without one would end. The attempt goes on.
var ErrUnsigned = errors.New("the person who started this has a credential, and ends it with that")

// Done is the end of an attempt. With a code the account is not connected yet: the browser
// has no credential, and its person confirms the code with one.
type Done struct{ Tenant, User, Service, Code string }

// Finish ends an attempt with the answer of the provider: it stores the account. Nobody but
// the person who started can end an attempt or use its state up. After a failure the person
// starts again.
func (s *Service) Finish(ctx context.Context, got Answer, by Bringer) (Done, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime) // a code is exchanged once
	defer cancel()
	for _, text := range []string{got.State, got.Code, got.Issuer, got.Error} {
		if len(text) > maxParameter {
			return Done{}, tool.Fail(tool.ValidationError, "the answer of the provider is too long")
		}
	}
	if got.State == "" {
		return Done{}, unknown()
	}
	key := stateKey(got.State)
	a, verifier, revision, err := s.load(ctx, key)
	if err != nil {
		return Done{}, err
	}
	if a == nil || !by.is(a) { // the store forgets a state that is too old: clocks may differ
		return Done{}, unknown()
	}
	if a.Known && by.User == "" {
		return Done{}, ErrUnsigned
	}
	first, err := s.Bucket.ForgetAt(ctx, key, revision)
	if err != nil {
		return Done{}, err
	}
	if !first {
		return Done{}, unknown() // it was used at this moment
	}
	code, err := s.exchange(ctx, a, verifier, got)
	if err != nil {
		s.Log.Info("account not connected",
			zap.String("tenant", a.Tenant), zap.String("user", a.User), zap.String("service", a.Service), zap.Error(err))
	}
	return Done{a.Tenant, a.User, a.Service, code}, err
}

// exchange gets the tokens of an answer and stores them. It returns the code of a connection
// that must be confirmed.
func (s *Service) exchange(ctx context.Context, a *attempt, verifier string, got Answer) (code string, err error) {
	reg, err := s.registered(ctx, a.Tenant, a.Service)
	if err != nil {
		return "", err
	}
	if reg.ID != a.Registration {
		return "", tool.Fail(tool.ValidationError, "the registration at %s was changed meanwhile; start again", reg.Title)
	}
	p, end, err := s.provider(ctx, reg)
	if err != nil {
		return "", err
	}
	defer end()
	if err := p.CheckIssuer(got.Issuer); err != nil {
		return "", err
	}
	switch {
	case got.Error != "":
		s.settle(ctx, a, protocol.ConnectionDenied)
		return "", tool.Fail(tool.ValidationError, "%s did not agree (%s); nothing was connected", reg.Title, oauth.Code(got.Error))
	case got.Code == "":
		return "", tool.Fail(tool.ValidationError, "%s answered without a code; nothing was connected", reg.Title)
	}
	token, err := p.Exchange(ctx, got.Code, verifier, a.Redirect)
	if err != nil {
		return "", err
	}
	if a.Confirm {
		return s.hold(ctx, a, token)
	}
	return "", s.connected(ctx, a, reg, token)
}

// connected stores the account with its tokens. It is on the trail before it can be used.
func (s *Service) connected(ctx context.Context, a *attempt, reg *services.Registration, token oauth.Token) error {
	if err := s.record(ctx, a.who(), connectedRecord, a.User,
		"the account of the service "+a.Service+" is connected, for "+shownScopes(token.Scopes)); err != nil {
		return err
	}
	if err := s.Store.Connect(ctx, a.Tenant, a.User, a.Service,
		accountOf(reg, token, time.Now().UTC().Truncate(time.Second), a.User)); err != nil {
		return err
	}
	s.failures.clear(a.who())
	s.settle(ctx, a, protocol.ConnectionConnected)
	return nil
}

// accountOf returns the account with the tokens that a provider has issued.
func accountOf(reg *services.Registration, t oauth.Token, at time.Time, by string) services.Account {
	return services.Account{
		Access: t.Access, Refresh: t.Refresh, Type: t.Type, Scopes: t.Scopes, Expires: t.Expires.UTC(), Life: t.Life,
		TokenAuth: t.TokenAuth, Registration: reg.ID, At: at, By: by,
	}
}

// settle stores the outcome of a connection, for the terminal that waits for it. Without it
// the terminal would find the account itself.
func (s *Service) settle(ctx context.Context, a *attempt, status string) {
	if a.Link == "" {
		return
	}
	link, secret, revision, err := s.link(ctx, a.Link)
	if link != nil && err == nil && (link.Status == "" || link.Status == protocol.ConnectionConfirm) {
		if status != protocol.ConnectionConfirm && link.Device == nil {
			secret = "" // tokens that waited for a confirmation
		}
		link.Status = status
		err = s.update(ctx, linkKey(a.Link), link, secret, revision)
	}
	if err != nil {
		s.Log.Warn("outcome of a connection not stored", zap.Error(err))
	}
}
