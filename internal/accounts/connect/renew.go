package connect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/tool"
)

// Answer returns the account of a request with an access token that is valid for a while,
// and was not refused.
func (s *Service) Answer(ctx context.Context, r peer.AccountRequest) peer.AccountAnswer {
	w := who{r.Tenant, r.User, r.Service}
	value, err := s.renewing.do(ctx, w.key()+"/"+r.Refused, func() ([]byte, error) {
		return s.current(ctx, w, r.Refused)
	})
	m := tool.MissingAccount(err)
	switch {
	case err == nil:
		return peer.AccountAnswer{Value: value}
	case m != nil:
		return peer.AccountAnswer{Missing: true, Reason: m.Reason, Title: m.Title, Page: s.Page()}
	}
	e, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
		s.Log.Warn("account not available", zap.String("tenant", w.tenant), zap.String("service", w.service), zap.Error(err))
		e = tool.Fail(tool.Overloaded, "the account of %s is not available now; try again", w.service)
	case e.Kind == tool.NotFound: // the registration is missing, and the message has the command
		return peer.AccountAnswer{Kind: string(tool.NotConfigured), Message: e.Msg} // e is that of others too
	}
	return peer.AccountAnswer{Kind: string(e.Kind), Message: e.Msg}
}

// stored is an account as it was read.
type stored struct {
	who
	reg     *services.Registration
	account *services.Account
	value   []byte
}

// read returns the account of a person. Without one for the present registration, the error
// is that it is missing.
func (s *Service) read(ctx context.Context, w who) (*stored, error) {
	reg, err := s.registered(ctx, w.tenant, w.service)
	if err != nil {
		return nil, err
	}
	account, value, err := s.Store.Account(ctx, w.tenant, w.user, w.service)
	if err != nil {
		return nil, err
	}
	have := &stored{w, reg, account, value}
	if account == nil {
		return nil, have.missing("")
	}
	if account.Registration != reg.ID {
		return nil, have.missing("the registration of Helve there was changed")
	}
	if account.Lost != "" {
		return nil, have.missing(account.Lost)
	}
	return have, nil
}

func (a *stored) missing(reason string) error {
	return &tool.AccountMissing{Service: a.service, Title: a.reg.Title, Reason: reason}
}

// usable reports whether the access token is valid for a while and not the refused one.
func (a *stored) usable(refused string) bool {
	return (refused == "" || services.HashOf(a.account.Access) != refused) && a.account.Usable(time.Now())
}

// waitTime bounds the time for which a request waits for the lock of another process.
const waitTime = 30 * time.Second

// current returns the stored bytes of an account whose token is usable, after it was
// replaced if need be: by this process, or by another process with the lock.
func (s *Service) current(ctx context.Context, w who, refused string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, s.waitTime)
	defer cancel()
	for locked := false; ; locked = true {
		have, err := s.read(ctx, w)
		if err != nil {
			return nil, replacing(ctx, w, locked, err)
		}
		if have.usable(refused) {
			return have.value, nil
		}
		if err := s.failures.of(w); err != nil {
			return nil, err
		}
		l, err := s.lock(ctx, w)
		if err != nil {
			return nil, replacing(ctx, w, locked, err)
		}
		if l != nil {
			defer l.release(ctx)
			return s.renew(context.WithoutCancel(ctx), l, w, refused)
		}
		natsio.Pause(ctx, lockLook)
		if ctx.Err() != nil {
			return nil, replacing(ctx, w, true, context.Cause(ctx))
		}
	}
}

// replacing returns the error of a wait that is over, if another process had the lock
// meanwhile, and else err.
func replacing(ctx context.Context, w who, locked bool, err error) error {
	if !locked || ctx.Err() == nil {
		return err
	}
	return tool.Fail(tool.Overloaded, "the token of %s is being replaced and is not there yet; try again", w.service).Because(err)
}

// renew replaces the token of an account whose lock this process has. What another process
// stored before is used as it is.
func (s *Service) renew(ctx context.Context, l *lock, w who, refused string) ([]byte, error) {
	ctx, cancel := context.WithDeadline(ctx, l.until)
	defer cancel()
	have, err := s.read(ctx, w)
	if err != nil {
		return nil, err
	}
	if have.usable(refused) {
		return have.value, nil
	}
	if have.account.Refresh == "" {
		return s.lose(ctx, have, refused, have.reg.Title+" no longer accepts its token, and has given none to replace it with")
	}
	p, end, err := s.provider(ctx, have.reg)
	if err != nil {
		return nil, s.fail(ctx, have, err)
	}
	defer end()
	if have.account.TokenAuth != "" {
		p.TokenAuth = have.account.TokenAuth
	}
	token, err := p.Renew(ctx, have.account.Refresh)
	switch {
	case oauth.Gone(err):
		return s.lose(ctx, have, refused, have.reg.Title+" no longer accepts it")
	case err != nil:
		return nil, s.fail(ctx, have, err)
	}
	if err := failpoint.Hit(failpoint.AccountRenewed); err != nil {
		return nil, err
	}
	if token.Scopes == "" {
		token.Scopes = have.account.Scopes
	}
	next := accountOf(have.reg, token, have.account.At, have.account.By)
	return s.keep(context.WithoutCancel(ctx), l, have, next)
}

// keepTime bounds the attempts to store new tokens.
const keepTime = time.Minute

// keep stores new tokens, whatever it takes: the provider may no longer accept the old ones.
// The lock is kept as long, so that no other process sends the old ones meanwhile.
func (s *Service) keep(ctx context.Context, l *lock, have *stored, next services.Account) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	defer l.keep(ctx)()
	old := have.value
	for {
		value, err := s.Store.Renew(ctx, have.tenant, have.user, have.service, old, next)
		if err == nil {
			return value, nil
		}
		if errors.Is(err, natsio.ErrExists) {
			now, stored, failed := s.Store.Account(ctx, have.tenant, have.user, have.service)
			switch {
			case failed != nil:
				err = failed
			case now == nil: // disconnected meanwhile
				return nil, have.missing("")
			case now.Access == next.Access: // stored, and only the acknowledgement was lost
				return stored, nil
			case now.Refresh != have.account.Refresh || now.Access != have.account.Access: // connected again meanwhile
				return stored, nil
			default: // its encryption was changed, or another process took the account for lost
				old = stored
				continue
			}
		}
		s.Log.Warn("new tokens of an account not stored; trying again",
			zap.String("tenant", have.tenant), zap.String("service", have.service), zap.Error(err))
		natsio.Pause(ctx, lockLook)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("new tokens not stored: %w", err)
		}
	}
}

// lose marks an account that the provider no longer accepts, so that its person is asked to
// connect it again. Its tokens stay: another process may be about to store new ones. If the
// account was changed meanwhile, it returns the account that is there now.
func (s *Service) lose(ctx context.Context, have *stored, refused, reason string) ([]byte, error) {
	if err := s.recordFailure(ctx, have.who, "the account of the service "+have.service+" is no longer connected: "+reason); err != nil {
		return nil, err
	}
	lost := *have.account
	lost.Lost = reason
	_, err := s.Store.Renew(ctx, have.tenant, have.user, have.service, have.value, lost)
	if errors.Is(err, natsio.ErrExists) {
		now, err := s.read(ctx, have.who)
		if err != nil {
			return nil, err
		}
		if now.usable(refused) {
			return now.value, nil
		}
	} else if err != nil {
		return nil, err
	}
	return nil, have.missing(reason)
}

// fail records that the tokens of an account were not replaced, for a reason that may pass.
func (s *Service) fail(ctx context.Context, have *stored, err error) error {
	e := tool.AsError(err)
	s.failures.add(have.who, e)
	if err := s.recordFailure(ctx, have.who, "the token of the service "+have.service+" was not replaced: "+string(e.Kind)); err != nil {
		s.Log.Warn("failure not recorded", zap.Error(err))
	}
	return e
}
