package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/dispatcher"
	"github.com/helve-dev/helve/internal/identity"
)

// Consents is the inbox of what people are asked. Its errors that a caller may
// see are of type [*consent.Error].
type Consents interface {
	// List returns those that pass the filter, and the cursor of the next page,
	// empty on the last.
	List(ctx context.Context, tenant string, f consent.Filter) (list []consent.Request, next string, err error)
	Get(ctx context.Context, tenant, id string) (consent.Request, error)
	// Decide stores the one verdict and returns the consent with it; a second
	// verdict is a conflict.
	Decide(ctx context.Context, tenant, id string, d consent.Decision, by identity.Principal) (consent.Request, error)
}

// Grants are the decisions that are remembered. Errors are as of [Consents].
type Grants interface {
	// List returns those of a user, or of the whole tenant for an empty name.
	List(ctx context.Context, tenant, user string) ([]consent.Grant, error)
	// Revoke ends a grant.
	Revoke(ctx context.Context, tenant, id string, by identity.Principal) error
}

// Minter makes confirm tokens. What a spec says is checked before it is asked.
// Errors are as of [Consents].
type Minter interface {
	Mint(ctx context.Context, tenant string, spec consent.MintSpec, by identity.Principal) (token, tokenID string, expires time.Time, err error)
}

// Audit reads the trail.
type Audit interface {
	// Query returns a page of records, oldest first; a cursor that is none is
	// [audit.ErrCursor].
	Query(ctx context.Context, q audit.Query) (audit.Page, error)
	// Verify checks the seals of a tenant's whole trail.
	Verify(ctx context.Context, tenant string) (audit.Report, error)
	// Export returns the next lines of an export, each a JSON value without a
	// line break, and the cursor of the next page, empty on the last. The bytes
	// of a line are what its seal covers.
	Export(ctx context.Context, tenant string, q audit.Query, cursor string, limit int) (lines []json.RawMessage, next string, err error)
	// PublicKey returns what verifies the seals, in PEM.
	PublicKey(ctx context.Context) (pem []byte, err error)
}

// Gate is what decides about calls and remembers what was decided. An operation
// whose part is nil answers unavailable.
type Gate struct {
	Consents Consents
	Grants   Grants
	Minter   Minter
	Audit    Audit
}

// WithGate gives the service its gate and returns it. It must be called before
// the service answers anything.
func (s *Service) WithGate(g Gate) *Service {
	s.gate = g
	return s
}

// missing is the error of an operation whose part is not there.
func missing(what string) *dispatcher.RequestError {
	return Unavailable("this dispatcher has no %s; ask one that was started with it", what)
}
