package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/accounts/connect"
	center "github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/data"
	"github.com/helve-dev/helve/internal/telemetry/syscheck"
	"github.com/helve-dev/helve/protocol"
)

// Services implements [api.Services]. Only workers decrypt for tools; a dispatcher
// encrypts, and reads a stored secret only to keep it when another field changes.
type Services struct {
	Store    *center.Store
	Index    *center.Index
	Bucket   *natsio.Bucket
	Accounts *connect.Service
	Asker    data.Asker
	Trail    trail.Writer
	// Rewrap protects what else is encrypted with the current master key, and reports whether
	// that was another one before.
	Rewrap func(ctx context.Context) (changed bool, err error)
}

// Follow has requests for accounts end when these are connected, and serves
// workers, until life ends.
func (s *Services) Follow(life context.Context, consents *consent.Service) error {
	s.Index.Changed = consents.AccountsChanged
	if err := s.Bucket.Follow(life, s.Index.Change); err != nil {
		return err
	}
	return s.Asker.Queue.Accounts.Serve(life, s.Accounts.Answer)
}

// List implements [api.Services].
func (s *Services) List(ctx context.Context, tenant, user, service string, everybody bool) (list protocol.ServiceList, err error) {
	registered, err := s.Store.Registered(ctx, tenant)
	if err != nil {
		return list, err
	}
	list.Services = append(s.Store.Registry.List(), registered...)
	slices.SortFunc(list.Services, func(a, b protocol.Service) int { return strings.Compare(a.Name, b.Name) })
	if list.Entries, err = s.Store.List(ctx, tenant, center.Filter{User: user, All: everybody, Service: service}); err != nil ||
		service == "" {
		return list, err
	}
	list.Services = slices.DeleteFunc(list.Services, func(o protocol.Service) bool { return o.Name != service })
	if len(list.Services) == 0 && len(list.Entries) == 0 {
		return list, api.NotFound("there is no service %q; services.list has those there are", service)
	}
	return list, nil
}

// Set implements [api.Services].
func (s *Services) Set(ctx context.Context, at api.ServiceEntry, set protocol.ServiceSet) (protocol.StoredService, error) {
	entry, err := s.Store.Set(ctx, vault.Place(at), set, identity.Of(ctx).Called(), func(fields []string) error {
		return s.record(ctx, at.Tenant, at.User, "services.set",
			fmt.Sprintf("the entry %s of the service %s is set; it has the fields %s", at.Label, at.Service, strings.Join(fields, ", ")))
	})
	return entry, told(err)
}

// Delete implements [api.Services].
func (s *Services) Delete(ctx context.Context, at api.ServiceEntry) (done protocol.ServiceDeleted, err error) {
	if at.User != "" && at.Label == center.DefaultLabel {
		done, found, err := s.Accounts.Disconnect(ctx, at.Tenant, at.User, at.Service, func() error {
			return s.record(ctx, at.Tenant, at.User, "services.delete", fmt.Sprintf("the account of the service %s is disconnected", at.Service))
		})
		if found {
			return done, told(err)
		}
	}
	found, err := s.Store.Delete(ctx, vault.Place(at), func() error {
		return s.record(ctx, at.Tenant, at.User, "services.delete",
			fmt.Sprintf("the entry %s of the service %s is deleted", at.Label, at.Service))
	})
	if err == nil && !found {
		return done, api.NotFound("there is no entry %s of the service %s", at.Label, at.Service)
	}
	return done, told(err)
}

// Test implements [api.Services]. A worker makes the request: it runs the tools, and has
// their way out. An account is tested here, where its token is replaced.
func (s *Services) Test(ctx context.Context, at api.ServiceEntry) (tested protocol.ServiceTested, err error) {
	if is, err := s.Accounts.IsAccount(ctx, at.Tenant, at.User, at.Service, at.Label); is || err != nil {
		if err == nil {
			tested, err = s.Accounts.Test(ctx, at.Tenant, at.User, at.Service)
		}
		return tested, told(err)
	}
	pool, err := s.Asker.Pool("")
	if err != nil {
		return tested, err
	}
	version, err := s.Store.Version(ctx, vault.Place(at))
	if err != nil {
		return tested, told(err)
	}
	err = s.Asker.Ask(ctx, pool, peer.DataRequest{
		Op: peer.DataServiceTest, Tenant: at.Tenant, Person: at.User, Service: at.Service, ID: at.Label, Version: version,
	}, nil, nil, &tested)
	return tested, err
}

// Rotate implements [api.Services].
func (s *Services) Rotate(ctx context.Context) (protocol.ServicesRotated, error) {
	if err := s.record(ctx, api.DefaultTenant, "", "services.rotate",
		"all entries of services are protected by the current master key"); err != nil {
		return protocol.ServicesRotated{}, err
	}
	done, err := s.Store.Rotate(ctx)
	if err != nil {
		return done, told(err)
	}
	changed, err := s.Rewrap(ctx)
	_, missing := errors.AsType[*vault.MissingKeyError](err)
	switch {
	case missing, errors.Is(err, vault.ErrDamaged):
		done.Left++
	case err != nil:
		return done, err
	case changed:
		done.Rotated++
	}
	return done, nil
}

// State counts the entries, for the examination of the system.
func (s *Services) State(ctx context.Context) (syscheck.ServiceState, error) {
	state, err := s.Store.State(ctx)
	return syscheck.ServiceState(state), err
}
