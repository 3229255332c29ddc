package connect

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/protocol"
)

// Bucket stores states, devices and locks, each for a time of its own.
type Bucket interface {
	GetRevision(ctx context.Context, key string) (value []byte, revision uint64, err error)
	PutAt(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) error
	ForgetAt(ctx context.Context, key string, revision uint64) (bool, error)
	// Keys returns the keys that fit a pattern, in which * is any one word.
	Keys(ctx context.Context, pattern string) ([]string, error)
}

var _ Bucket = (*natsio.Bucket)(nil)

// Options are the parts of the platform that a [Service] uses.
type Options struct {
	// Store has the registrations and the accounts.
	Store  *services.Store
	Bucket Bucket
	// Client returns the way to providers, which also reaches the given HOST:PORT on the
	// operator's own network, and a function that ends it.
	Client func(hosts []string) (*http.Client, func(), error)
	// Public is the address of the dispatchers for browsers, without a slash at its end;
	// empty if the operator has set none.
	Public string
	// Trail stores audit records.
	Trail interface {
		Write(ctx context.Context, r *protocol.AuditRecord) error
	}
	Log *zap.Logger
}

// Service connects accounts. It is safe for concurrent use, and any number of services share
// the work.
type Service struct {
	Options
	known    metadata
	failures failures
	renewing flights
	// lockLife and waitTime are the constants of those names, but for tests.
	lockLife, waitTime time.Duration
}

// New returns a service.
func New(o Options) *Service { return &Service{Options: o, lockLife: lockLife, waitTime: waitTime} }

// The paths below the public address.
const (
	pagePath     = "/v1/connect/"
	callbackPath = pagePath + "callback"
)

// Page returns the address below which people connect accounts; empty if there is none.
func (s *Service) Page() string {
	if s.Public == "" {
		return ""
	}
	return s.Public + pagePath
}

func (s *Service) callback() string { return s.Public + callbackPath }

// who names an account.
type who struct{ tenant, user, service string }

func (w who) key() string { return w.tenant + "." + w.user + "." + w.service }
