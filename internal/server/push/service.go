package push

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent/sentence"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// Options configure a service.
type Options struct {
	Queue *queue.Queue
	// Bucket has the devices and the key pair.
	Bucket *natsio.Bucket
	// Keys protect the key pair.
	Keys vault.Wrapper
	// HTTP sends requests to push services. It must refuse internal addresses and follow no
	// redirect, because people name the hosts.
	HTTP HTTP
	// Contact is an address at which the operator of a push service reaches somebody: https only.
	Contact string
	Metrics *telemetry.Metrics
	Log     *zap.Logger
}

// Service is a dispatcher's side of web push. It implements [api.Push].
type Service struct {
	Options

	devices devices
}

var _ api.Push = (*Service)(nil)

// New returns a service. It sends nothing before [Service.Serve].
func New(o Options) *Service { return &Service{o, devices{o.Bucket}} }

// Serve sends each request for consent to the devices of the person who is asked, with all
// services of the installation together, until life ends.
func (s *Service) Serve(life context.Context) error {
	return store.On(s.Queue).ServeNotices(life, s.notify)
}

// Key implements [api.Push].
func (s *Service) Key(ctx context.Context) (string, error) {
	pair, err := s.pair(ctx)
	return pair.public, told(err)
}

// told returns the error for a caller.
func told(err error) error {
	if err == nil || errors.Is(err, natsio.ErrUnavailable) {
		return err
	}
	return api.Unavailable("notifications cannot be signed: %v", err)
}

// List implements [api.Push].
func (s *Service) List(ctx context.Context, tenant, user string) ([]protocol.PushDevice, error) {
	all, err := s.devices.of(ctx, tenant, user)
	list := make([]protocol.PushDevice, len(all))
	for i, d := range all {
		list[i] = protocol.PushDevice{Endpoint: d.Endpoint, Language: string(d.Language), Since: d.Since}
	}
	return list, err
}

// Subscribe implements [api.Push].
func (s *Service) Subscribe(ctx context.Context, tenant, user string, to protocol.PushSubscription, lang sentence.Language) error {
	added, err := checked(to)
	if err != nil {
		return err
	}
	if _, err := s.pair(ctx); err != nil {
		return told(err)
	}
	added.Language, added.Since = lang, time.Now().UTC().Truncate(time.Second)
	return s.devices.put(ctx, tenant, user, added)
}

// Unsubscribe implements [api.Push].
func (s *Service) Unsubscribe(ctx context.Context, tenant, user, endpoint string) (bool, error) {
	return s.devices.remove(ctx, tenant, user, endpoint)
}

// Forget removes all devices of a person whose data is deleted.
func (s *Service) Forget(ctx context.Context, tenant, user string) error {
	return s.Bucket.Delete(ctx, keyOf(tenant, user))
}

const (
	// patience bounds the time for the notifications of one request. The consumer has room for
	// 256 requests, so push services that are away hold up others for this time at most.
	patience = 2 * time.Minute
	// together is the number of devices of one request that are sent to concurrently.
	together = 4
)

// notify sends a request to the devices of the person who is asked. An error has it sent
// again, here or elsewhere.
func (s *Service) notify(life context.Context, asked natsio.Work) error {
	var c protocol.Consent
	if err := json.Unmarshal(asked.Data, &c); err != nil {
		s.Log.Warn("unreadable request in an inbox", zap.Error(err))
		return nil
	}
	to, err := s.devices.of(life, asked.Tenant, c.User)
	if len(to) == 0 || err != nil {
		return err
	}
	pair, err := s.pair(life)
	if errors.Is(err, natsio.ErrUnavailable) {
		return err
	}
	if err != nil {
		s.Log.Error("notifications not sent: no key pair", zap.String("tenant", asked.Tenant), zap.Error(err))
		return nil
	}
	ctx, cancel := context.WithTimeout(life, patience)
	defer cancel()
	var all errgroup.Group
	all.SetLimit(together)
	for _, d := range to {
		all.Go(func() error {
			payload, err := noticeOf(d.Language, &c)
			if err != nil {
				return err
			}
			out, cause := sender{s.HTTP, s.Contact, pair}.send(ctx, d, notification{payload, topicOf(asked.Tenant, c.ID), c.ExpiresAt})
			return s.sent(life, asked.Tenant, c.User, d, out, cause)
		})
	}
	return all.Wait()
}

// sent counts an outcome, and removes a device that is gone. An outcome after the end of life is
// none: another service sends again.
func (s *Service) sent(life context.Context, tenant, user string, d device, out outcome, cause string) error {
	if life.Err() != nil {
		return context.Cause(life)
	}
	s.Metrics.Count(telemetry.Pushes, string(out))
	if out == gone {
		_, err := s.devices.remove(life, tenant, user, d.Endpoint)
		return err
	}
	if out != delivered {
		s.Log.Warn("notification not delivered", zap.String("tenant", tenant), zap.String("user", user), zap.String("host", hostOf(d.Endpoint)),
			zap.String("outcome", string(out)), zap.String("cause", cause))
	}
	return nil
}

// hostOf returns the host of an endpoint; the rest of one is secret.
func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}
