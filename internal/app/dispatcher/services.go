package dispatcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/connect"
	center "github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/data"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/telemetry/syscheck"
	"github.com/helve-dev/helve/internal/tools/accounts"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// services implements [api.Services]. Only workers decrypt for tools; a dispatcher
// encrypts, and reads a stored secret only to keep it when another field changes.
type services struct {
	store *center.Store
	queue *queue.Queue
	tools *catalog.Catalog
	trail trail.Writer

	bucket   *natsio.Bucket
	index    *center.Index
	accounts *connect.Service
}

func openServices(
	life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, tools *catalog.Catalog, t trail.Writer,
) (services, error) {
	declared, err := center.ReadDeclared(cfg.ServiceTypes)
	if err != nil {
		return services{}, fmt.Errorf("service_types: %w", err)
	}
	registry, err := center.NewRegistry(accounts.All(), declared)
	if err != nil {
		return services{}, err
	}
	keys, err := vault.Open(cfg.Secrets.KeyFile, cfg.Secrets.KeyEnv, func(err error) {
		kit.Log.Error("master keys not reloaded", zap.Error(err))
	})
	if err != nil {
		return services{}, err
	}
	bucket, err := q.Conn.Bucket(life, queue.BucketServices)
	if err != nil {
		return services{}, err
	}
	store := &center.Store{Bucket: bucket, Keys: keys, Registry: registry}
	accounts, err := openAccounts(life, cfg, kit, q, store, t)
	return services{
		store:    store,
		queue:    q,
		tools:    tools,
		trail:    t,
		bucket:   bucket,
		index:    &center.Index{Registry: registry},
		accounts: accounts,
	}, err
}

// told returns an error as callers see it.
func told(err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		return err
	}
	if e.Kind == tool.PermissionDenied {
		return api.Forbidden("%s", e.Msg)
	}
	return data.Refusal(queue.DataAnswer{Kind: string(e.Kind), Message: e.Msg})
}

// List implements [api.Services].
func (s services) List(ctx context.Context, tenant, user, service string, everybody bool) (list protocol.ServiceList, err error) {
	registered, err := s.store.Registered(ctx, tenant)
	if err != nil {
		return list, err
	}
	list.Services = append(s.store.Registry.List(), registered...)
	slices.SortFunc(list.Services, func(a, b protocol.Service) int { return strings.Compare(a.Name, b.Name) })
	if list.Entries, err = s.store.List(ctx, tenant, center.Filter{User: user, All: everybody, Service: service}); err != nil ||
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
func (s services) Set(ctx context.Context, at api.ServiceEntry, set protocol.ServiceSet) (protocol.StoredService, error) {
	entry, err := s.store.Set(ctx, vault.Place(at), set, identity.Of(ctx).Called(), func(fields []string) error {
		return s.record(ctx, at.Tenant, at.User, "services.set",
			fmt.Sprintf("the entry %s of the service %s is set; it has the fields %s", at.Label, at.Service, strings.Join(fields, ", ")))
	})
	return entry, told(err)
}

// Delete implements [api.Services].
func (s services) Delete(ctx context.Context, at api.ServiceEntry) (done protocol.ServiceDeleted, err error) {
	if at.User != "" && at.Label == center.DefaultLabel {
		done, found, err := s.accounts.Disconnect(ctx, at.Tenant, at.User, at.Service, func() error {
			return s.record(ctx, at.Tenant, at.User, "services.delete", fmt.Sprintf("the account of the service %s is disconnected", at.Service))
		})
		if found {
			return done, told(err)
		}
	}
	found, err := s.store.Delete(ctx, vault.Place(at), func() error {
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
func (s services) Test(ctx context.Context, at api.ServiceEntry) (tested protocol.ServiceTested, err error) {
	if is, err := s.accounts.IsAccount(ctx, at.Tenant, at.User, at.Service, at.Label); is || err != nil {
		if err == nil {
			tested, err = s.accounts.Test(ctx, at.Tenant, at.User, at.Service)
		}
		return tested, told(err)
	}
	ask := data.Asker{Queue: s.queue, Tools: s.tools}
	pool, err := ask.Pool("")
	if err != nil {
		return tested, err
	}
	err = ask.Ask(ctx, pool,
		queue.DataRequest{Op: queue.DataServiceTest, Tenant: at.Tenant, Person: at.User, Service: at.Service, ID: at.Label}, nil, nil, &tested)
	return tested, err
}

// Rotate implements [api.Services].
func (s services) Rotate(ctx context.Context) (protocol.ServicesRotated, error) {
	if err := s.record(ctx, api.DefaultTenant, "", "services.rotate",
		"all entries of services are protected by the current master key"); err != nil {
		return protocol.ServicesRotated{}, err
	}
	done, err := s.store.Rotate(ctx)
	return done, told(err)
}

// record puts a change on the trail, before it takes effect. It has no values.
func (s services) record(ctx context.Context, tenant, user, operation, what string) error {
	return s.trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditServiceChanged, Tenant: tenant, User: user, Tool: operation, By: identity.Of(ctx).Called(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Detail: what,
	})
}

// Export implements [data.Accounts]. It writes the entries of a person, without secrets, as lines of an export.
func (s services) Export(ctx context.Context, tenant, user string, w io.Writer) error {
	entries, err := s.store.List(ctx, tenant, center.Filter{User: user})
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	for _, e := range entries {
		if err := enc.Encode(map[string]any{"collection": protocol.ServicesCollection, "id": e.Service + "." + e.Label, "doc": e}); err != nil {
			return err
		}
	}
	return nil
}

// state counts the entries, for the examination of the system.
func (s services) state(ctx context.Context) (syscheck.ServiceState, error) {
	state, err := s.store.State(ctx)
	return syscheck.ServiceState(state), err
}
