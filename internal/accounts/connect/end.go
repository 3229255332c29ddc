package connect

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// dropTries bounds the attempts to remove an account that is being changed.
const dropTries = 5

// Disconnect ends the connection of an account: its tokens are revoked (RFC 7009) and
// removed. Allowed is called before. The tokens are removed even if the provider does not
// revoke them; the answer says so. Found is false if there is no account.
func (s *Service) Disconnect(
	ctx context.Context, tenant, user, service string, allowed func() error,
) (done protocol.ServiceDeleted, found bool, err error) {
	w := who{tenant, user, service}
	ctx = context.WithoutCancel(ctx)
	defer s.lockFor(ctx, w)() // tokens that are being issued are revoked too
	account, value, err := s.Store.Account(ctx, tenant, user, service)
	if account == nil || err != nil {
		return done, false, err
	}
	if err := allowed(); err != nil {
		return done, true, err
	}
	revoked := true
	done.Revoked = &revoked
	for range dropTries {
		if err := s.revoke(ctx, w, account); err != nil {
			revoked, done.Message = false, tool.AsError(err).Msg
			s.Log.Info("tokens of an account not revoked", zap.String("tenant", tenant), zap.String("service", service), zap.Error(err))
		}
		gone, next, err := s.drop(ctx, w, account, value)
		if gone || err != nil {
			return done, true, err
		}
		account, value = next.account, next.value
	}
	return done, true, tool.Fail(tool.Overloaded, "the account of %s is being connected again and again; try again", service)
}

// drop removes an account, unless other tokens are there now, which are not revoked yet:
// then it returns them.
func (s *Service) drop(ctx context.Context, w who, account *services.Account, value []byte) (gone bool, next *stored, err error) {
	for range dropTries {
		if gone, err = s.Store.Drop(ctx, w.tenant, w.user, w.service, value); gone || err != nil {
			return gone, nil, err
		}
		now, present, err := s.Store.Account(ctx, w.tenant, w.user, w.service)
		switch {
		case now == nil || err != nil:
			return now == nil, nil, err
		case now.Access != account.Access || now.Refresh != account.Refresh:
			return false, &stored{who: w, account: now, value: present}, nil
		}
		value = present // encrypted under another key
	}
	return false, nil, tool.Fail(tool.Overloaded, "the account of %s is being changed; try again", w.service)
}

// lockFor waits for the lock of an account, but not for long: an account can always be
// disconnected.
func (s *Service) lockFor(ctx context.Context, w who) (release func()) {
	ctx, cancel := context.WithTimeout(ctx, holdTime)
	defer cancel()
	for ctx.Err() == nil {
		l, err := s.lock(ctx, w)
		switch {
		case err != nil:
			return func() {}
		case l != nil:
			return func() { l.release(ctx) }
		}
		natsio.Pause(ctx, lockLook)
	}
	return func() {}
}

// revokeTime bounds the requests to revoke tokens.
const revokeTime = 8 * time.Second

// revoke ends the tokens of an account at the provider: the refresh token, with which most
// providers end what was issued for it, and then the access token.
func (s *Service) revoke(ctx context.Context, w who, account *services.Account) error {
	ctx, cancel := context.WithTimeout(ctx, revokeTime)
	defer cancel()
	reg, err := s.registered(ctx, w.tenant, w.service)
	if err != nil {
		return err
	}
	if reg.ID != account.Registration {
		return tool.Fail(tool.NotConfigured,
			"the registration at %s was changed since the account was connected, so its tokens are not sent there; "+
				"the person removes Helve in the settings of their account, and helve config test %s shows the registration",
			reg.Title, w.service)
	}
	p, end, err := s.provider(ctx, reg)
	if err != nil {
		return err
	}
	defer end()
	auth := account.TokenAuth
	if account.Refresh == "" {
		return p.Revoke(ctx, account.Access, oauth.AccessToken, auth)
	}
	if err := p.Revoke(ctx, account.Refresh, oauth.RefreshToken, auth); err != nil {
		return err
	}
	if err := p.Revoke(ctx, account.Access, oauth.AccessToken, auth); err != nil {
		s.Log.Debug("access token not revoked after its refresh token", zap.Error(err))
	}
	return nil
}

// DisconnectAll ends the connections of a person, those that have only begun too, and returns
// the accounts whose tokens were not revoked.
func (s *Service) DisconnectAll(ctx context.Context, tenant, user string) (left []string, n int, err error) {
	if err := s.forgetAll(ctx, tenant, user); err != nil {
		return nil, 0, err
	}
	accounts, err := s.Store.AccountsOf(ctx, tenant, user)
	if err != nil {
		return nil, 0, err
	}
	for _, service := range accounts {
		done, found, err := s.Disconnect(ctx, tenant, user, service, func() error { return nil })
		if err != nil {
			return left, n, err
		}
		if found {
			n++
		}
		if done.Revoked != nil && !*done.Revoked {
			left = append(left, service)
		}
	}
	return left, n, nil
}
