package callback

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
)

// Service checks and stores the callbacks of requests.
type Service struct {
	Store *callbacks.Store
	// Hosts are the hosts that may be called back, as in a URL.
	Hosts []string
	// Keys encrypt headers.
	Keys vault.Wrapper
	// MaxWaiting is the number of callbacks of a tenant that may wait. The bound is one of
	// about a second: other processes read of it from the process that sends.
	MaxWaiting int

	crowd crowd
}

// receiver names the receiver in the key of a callback.
func receiver(url string) string {
	sum := sha256.Sum256([]byte(url))
	return hex.EncodeToString(sum[:16])
}

func key(tenant, callID, url string) callbacks.Key {
	return callbacks.Key{Tenant: tenant, CallID: callID, Receiver: receiver(url)}
}

// Await stores that the result of a call is to be sent. A callback of the call to the same
// URL that is stored, or has ended, stays as it is. natsio.ErrFull means that there is no room,
// and a [*tool.Error] is the answer to the call.
func (s *Service) Await(ctx context.Context, to *protocol.Callback, tenant, callID string, call queue.Acceptance) error {
	k := key(tenant, callID, to.URL)
	if full := s.room(ctx, tenant); full != nil {
		if there, _, err := s.Store.Read(ctx, k); err != nil || there == nil {
			return errors.Join(full, err)
		}
		return nil
	}
	c := callbacks.Callback{State: callbacks.Waits, CallID: callID, URL: to.URL, Call: call}
	var err error
	if c.Headers, err = seal(ctx, s.Keys, k, to.URL, to.Headers); err != nil {
		return err
	}
	if err := s.Store.Create(ctx, k, c); !errors.Is(err, natsio.ErrExists) {
		return err
	}
	return nil
}

// Withdraw removes the callback of a call that was not accepted, whose id nobody else knows.
func (s *Service) Withdraw(ctx context.Context, to *protocol.Callback, tenant, callID string) error {
	return s.Store.Remove(ctx, key(tenant, callID, to.URL))
}

// refusedMark begins the receiver in the key of an element that no call has.
const refusedMark = "refused-"

// Send stores an element that is to be sent and stored nowhere else: the answer to a call
// that was refused. The id must be a new one, since the same call may be sent again and
// accepted.
func (s *Service) Send(ctx context.Context, to *protocol.Callback, tenant, id, callID string, call queue.Acceptance, element []byte) error {
	if err := s.room(ctx, tenant); err != nil {
		return err
	}
	k := key(tenant, id, to.URL)
	k.Receiver = refusedMark + k.Receiver
	c := callbacks.Callback{State: callbacks.Due, CallID: callID, URL: to.URL, Call: call, DueMS: time.Now().UnixMilli()}
	var err error
	if c.Headers, err = seal(ctx, s.Keys, k, to.URL, to.Headers); err != nil {
		return err
	}
	if short := s.Store.Full(); short != nil {
		return short
	}
	if err := s.Store.StoreBody(ctx, k, &c, element); err != nil {
		return err
	}
	return s.Store.Create(ctx, k, c)
}
