package dispatcher

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/connect"
	"github.com/helve-dev/helve/internal/accounts/oauth"
	center "github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/server/accounts"
	"github.com/helve-dev/helve/internal/server/data"
	"github.com/helve-dev/helve/internal/telemetry"
	presets "github.com/helve-dev/helve/internal/tools/accounts"
	"github.com/helve-dev/helve/tool"
)

// providerTime bounds a request to a provider. It is shorter than the time for which the
// lock of an account is held.
const providerTime = 6 * time.Second

// openAccounts returns the service that connects accounts of people.
func openAccounts(
	life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, store *center.Store, t trail.Writer,
) (*connect.Service, error) {
	bucket, err := q.Conn.Bucket(life, streams.BucketConnects)
	if err != nil {
		return nil, err
	}
	return connect.New(connect.Options{
		Store: store, Bucket: bucket, Public: strings.TrimSuffix(cfg.HTTP.PublicURL, "/"), Trail: t, Log: kit.Log,
		Client: func(hosts []string) (*http.Client, func(), error) {
			guard, err := netguard.New(netguard.Options{Allow: append(hosts, cfg.AllowHosts...), HeaderTimeout: providerTime})
			if err != nil {
				return nil, nil, tool.Fail(tool.NotConfigured,
					"an address of the service cannot be used; an admin sets it with helve config set").Because(err)
			}
			return oauth.Client(guard.DoOnce, providerTime), guard.Close, nil
		},
	}), nil
}

// publicURL returns the address of this dispatcher for browsers: that of its listener if no
// other machine can reach it. Empty if the operator must set one.
func publicURL(cfg config.HTTPSection, listener string) string {
	if cfg.PublicURL == "" && identity.Loopback(cfg.Addr) {
		return listener
	}
	return cfg.PublicURL
}

// openServices returns the operations on services.
func openServices(
	life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, tools *catalog.Catalog, t trail.Writer,
) (*accounts.Services, error) {
	declared, err := center.ReadDeclared(cfg.ServiceTypes)
	if err != nil {
		return nil, fmt.Errorf("service_types: %w", err)
	}
	registry, err := center.NewRegistry(presets.All(), declared)
	if err != nil {
		return nil, err
	}
	keys, err := vault.Open(cfg.Secrets.KeyFile, cfg.Secrets.KeyEnv, func(err error) {
		kit.Log.Error("master keys not reloaded", zap.Error(err))
	})
	if err != nil {
		return nil, err
	}
	bucket, err := q.Conn.Bucket(life, streams.BucketServices)
	if err != nil {
		return nil, err
	}
	store := &center.Store{Bucket: bucket, Keys: keys, Registry: registry}
	connects, err := openAccounts(life, cfg, kit, q, store, t)
	return &accounts.Services{
		Store: store, Index: &center.Index{Registry: registry}, Bucket: bucket, Accounts: connects,
		Asker: data.Asker{Queue: q, Tools: tools}, Trail: t,
	}, err
}
