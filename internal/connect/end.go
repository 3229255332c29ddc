package connect

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/natsio"
	"github.com/helve-dev/helve/internal/oauth"
	"github.com/helve-dev/helve/internal/services"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Disconnect ends the connection of an account: its tokens are revoked (RFC 7009) and
// removed. Allowed is called before. The tokens are removed even if the provider does not
// revoke them; the answer says so. Found is false if there is no account.
func (s *Service) Disconnect(ctx context.Context, tenant, user, service string, allowed func() error) (done protocol.ServiceDeleted, found bool, err error) {
	w := who{tenant, user, service}
	ctx = context.WithoutCancel(ctx)
	release := s.lockFor(ctx, w) // tokens that are being issued are revoked too
	defer release()
	account, value, err := s.Store.Account(ctx, tenant, user, service)
	if account == nil || err != nil {
		return done, false, err
	}
	if err := allowed(); err != nil {
		return done, true, err
	}
	failed := s.revoke(ctx, w, account)
	revoked := failed == nil
	done.Revoked = &revoked
	if failed != nil {
		done.Message = tool.AsError(failed).Msg
		s.Log.Info("tokens of an account not revoked", zap.String("tenant", tenant), zap.String("service", service), zap.Error(failed))
	}
	for {
		gone, err := s.Store.Drop(ctx, tenant, user, service, value)
		if gone || err != nil {
			return done, true, err
		}
		if account, value, err = s.Store.Account(ctx, tenant, user, service); account == nil || err != nil {
			return done, true, err
		}
	}
}

// lockFor waits for the lock of an account, but not for long: an account can always be
// disconnected.
func (s *Service) lockFor(ctx context.Context, w who) (release func()) {
	ctx, cancel := context.WithTimeout(ctx, holdTime)
	defer cancel()
	for ctx.Err() == nil {
		if release, err := s.lock(ctx, w); release != nil || err != nil {
			if release == nil {
				break
			}
			return release
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
		return tool.Fail(tool.NotConfigured, "the registration at %s was changed since the account was connected, so its tokens are not sent there; the person removes Helve in the settings of their account, and helve config test %s shows the registration", reg.Title, w.service)
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

// DisconnectAll ends the connections of a person, and returns the accounts whose tokens were
// not revoked.
func (s *Service) DisconnectAll(ctx context.Context, tenant, user string) (left []string, n int, err error) {
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
