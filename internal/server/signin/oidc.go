package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/identity"
)

// Refusal is the reason why a person is not signed in at the issuer. The page at /login
// has the sentences.
type Refusal struct {
	// Reason is one of the constants below.
	Reason string
	// Next is the page that the person wanted.
	Next string
}

// The reasons of a [Refusal].
const (
	// Denied: the issuer or the person did not agree.
	Denied = "denied"
	// Expired: it took too long, was done twice, or began in another browser.
	Expired = "expired"
	// Refused: the issuer names no tenant, user or role that this server knows.
	Refused = "refused"
	// Unavailable: the issuer, or this server, cannot do it now.
	Unavailable = "unavailable"
)

// Error returns the reason.
func (r *Refusal) Error() string { return "sign-in at the issuer: " + r.Reason }

// Begun is an attempt to sign in at the issuer.
type Begun struct {
	// Location is the page of the issuer.
	Location string
	// Name is the part of the cookie's name that is its own, Cookie the value.
	Name, Cookie string
}

// Begin begins an attempt of the pages with a secret to sign in at the issuer, after which
// the browser goes to next. Its error is a [*Refusal].
func (s *Service) Begin(ctx context.Context, next, page string) (Begun, error) {
	next = Next(next)
	p, err := s.provider(ctx)
	if err != nil {
		return Begun{}, s.refuse(Unavailable, next, err)
	}
	a := attempt{
		State: rand.Text() + rand.Text(), Nonce: rand.Text() + rand.Text(), Verifier: oauth.NewVerifier(),
		Next: next, Page: digest("page", page), Begun: s.Now().UTC(),
	}
	cookie, err := a.encode()
	if err != nil {
		return Begun{}, s.refuse(Unavailable, next, err)
	}
	p.Params = url.Values{"nonce": {a.Nonce}}
	return Begun{Location: p.AuthorizationURL(a.State, a.Verifier, s.Issuer.Redirect), Name: AttemptName(a.State), Cookie: cookie}, nil
}

// provider returns the issuer with its addresses.
func (s *Service) provider(ctx context.Context) (*oauth.Provider, error) {
	if !s.Ways().OIDC {
		return nil, errors.New("no issuer is configured")
	}
	m, err := s.metadata.of(ctx, s.Issuer, s.Now())
	if err != nil {
		return nil, err
	}
	return &oauth.Provider{
		Title: "the issuer", Issuer: m.Issuer, AnswersIssuer: m.AnswersIssuer, Authorization: m.Authorization, Token: m.Token,
		ClientID: s.Issuer.ClientID, Secret: s.Issuer.Secret, Scopes: s.Issuer.Scopes, TokenAuth: m.TokenAuth(), HTTP: s.Issuer.HTTP,
	}, nil
}

// Answer is the answer of the issuer, which the browser brings with its cookie and the secret
// of its pages.
type Answer struct {
	State, Code, Issuer, Error string
	Browser
}

// maxParameter bounds a parameter of an answer, in bytes; finishTime bounds its end.
const (
	maxParameter = 8 << 10
	finishTime   = 20 * time.Second
)

// Finish ends an attempt: it begins a session, and returns the page that the person wanted.
// Its error is a [*Refusal].
func (s *Service) Finish(ctx context.Context, got Answer) (Session, string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime) // a code is exchanged once
	defer cancel()
	a, ok := decodeAttempt(got.Cookie)
	age := s.Now().Sub(a.Begun)
	if !ok || !same(a.State, got.State) || !same(a.Page, digest("page", got.Page)) || age < -AttemptLife || age > AttemptLife {
		return Session{}, "", &Refusal{Reason: Expired, Next: Next(a.Next)}
	}
	next := Next(a.Next)
	select {
	case s.exchanges <- struct{}{}:
		defer func() { <-s.exchanges }()
	default:
		return Session{}, "", &Refusal{Reason: Unavailable, Next: next}
	}
	by, reason, err := s.person(ctx, a, got)
	if err != nil {
		return Session{}, "", s.refuse(reason, next, err)
	}
	who := &person{Issuer: s.Issuer.URL, Tenant: by.Tenant, User: by.User, Name: by.Name, Roles: by.Roles}
	session, err := s.begin(ctx, by, record{Person: who}, got.Page, byIssuer)
	if err != nil {
		return Session{}, "", s.refuse(Unavailable, next, err)
	}
	return session, next, nil
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// person returns the person whom the issuer names.
func (s *Service) person(ctx context.Context, a attempt, got Answer) (by identity.Principal, reason string, err error) {
	for _, text := range []string{got.Code, got.Issuer, got.Error} {
		if len(text) > maxParameter {
			return by, Denied, errors.New("the answer of the issuer is too long")
		}
	}
	p, err := s.provider(ctx)
	if err != nil {
		return by, Unavailable, err
	}
	if err := p.CheckIssuer(got.Issuer); err != nil {
		return by, Denied, err
	}
	if got.Error != "" || got.Code == "" {
		return by, Denied, errors.New("the issuer answered " + oauth.Code(got.Error))
	}
	token, err := p.Exchange(ctx, got.Code, a.Verifier, s.Issuer.Redirect)
	if err != nil {
		if refusal, ok := errors.AsType[*oauth.Refusal](err); ok && refusal.Code == "invalid_grant" {
			return by, Expired, err
		}
		return by, Unavailable, err
	}
	by, err = s.Auth.IDToken(ctx, token.ID, s.Issuer.ClientID, a.Nonce)
	if failure, ok := errors.AsType[*identity.Failure](err); ok && failure.Status == http.StatusServiceUnavailable {
		return by, Unavailable, err
	}
	return by, Refused, err
}

// refuse logs the cause, which the person need not see.
func (s *Service) refuse(reason, next string, cause error) error {
	s.Log.Warn("sign-in at the issuer failed", zap.String("reason", reason), zap.Error(cause))
	return &Refusal{Reason: reason, Next: next}
}
