package connect

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// slower is added to an interval that was too short (RFC 8628, 3.5).
const slower = 5 * time.Second

// poll asks the provider whether the person has entered the code, and stores the account if
// so. The process that has moved the time of the next request asks, and no other.
func (s *Service) poll(ctx context.Context, key string, a *attempt, code string, revision uint64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime) // tokens are issued once
	defer cancel()
	a.Next = time.Now().Add(a.Interval)
	if err := s.update(ctx, key, a, code, revision); err != nil {
		if errors.Is(err, natsio.ErrExists) {
			return nil // it is asked at this moment
		}
		return err
	}
	reg, err := s.registered(ctx, a.Tenant, a.Service)
	if err != nil {
		return err
	}
	if reg.ID != a.Registration {
		return tool.Fail(tool.ValidationError, "the registration at %s was changed meanwhile; start again", reg.Title)
	}
	p, end, err := s.provider(ctx, reg)
	if err != nil {
		return err
	}
	defer end()
	token, err := p.PollDevice(ctx, code)
	pending, slow := oauth.Pending(err)
	switch {
	case err == nil:
		if err := s.connected(ctx, a, reg, token); err != nil {
			return err
		}
		a.Status = protocol.ConnectionConnected
		return nil
	case slow:
		a.Interval += slower
		a.Next = time.Now().Add(a.Interval)
		return s.again(ctx, key, a)
	case pending:
		return nil
	case oauth.Denied(err):
		a.Status = protocol.ConnectionDenied
	case oauth.Gone(err):
		a.Status = protocol.ConnectionExpired
	case temporary(err):
		return nil // it is asked again after the interval
	default:
		return err
	}
	s.settle(ctx, a, a.Status)
	return nil
}

// again stores a longer interval.
func (s *Service) again(ctx context.Context, key string, a *attempt) error {
	have, code, revision, err := s.load(ctx, key)
	if have == nil || err != nil {
		return err
	}
	return s.update(ctx, key, a, code, revision)
}

// temporary reports whether a request may succeed later.
func temporary(err error) bool {
	switch tool.AsError(err).Kind {
	case tool.NetworkError, tool.Timeout, tool.RateLimited, tool.Overloaded:
		return true
	default:
		return false
	}
}
