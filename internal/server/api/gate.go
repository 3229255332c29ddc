package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// Consents is the store of consent requests. Its errors that a caller may see are of
// type [*consent.Error].
type Consents interface {
	// List returns the consents that match the filter, and the cursor of the next page,
	// empty on the last.
	List(ctx context.Context, tenant string, f consent.Filter) (list []protocol.Consent, next string, err error)
	// Revision returns the state of the inbox of a user, or of the whole tenant for an
	// empty name. If it is the known one, it first waits for a change until ctx ends.
	Revision(ctx context.Context, tenant, user, known string) string
	Get(ctx context.Context, tenant, id string) (protocol.Consent, error)
	// Decide stores the only verdict and returns the consent with it; a second verdict
	// is a conflict.
	Decide(ctx context.Context, tenant, id string, d consent.Decision, by identity.Principal) (protocol.Consent, error)
}

// Grants are the remembered decisions. Errors are as of [Consents].
type Grants interface {
	// List returns the grants of a user, or of the whole tenant for an empty name.
	List(ctx context.Context, tenant, user string) ([]protocol.Grant, error)
	// Revoke removes a grant.
	Revoke(ctx context.Context, tenant, id string, by identity.Principal) error
}

// Minter makes confirm tokens. The spec is validated before the call. Errors are as of
// [Consents].
type Minter interface {
	Mint(ctx context.Context, tenant string, spec consent.MintSpec,
		by identity.Principal) (token, tokenID string, expires time.Time, err error)
}

// Audit gives access to the audit trail.
type Audit interface {
	// Query returns a page of records, oldest first; an invalid cursor is
	// [audit.ErrCursor].
	Query(ctx context.Context, q audit.Query) (audit.Page, error)
	// Verify checks the seals of a tenant's whole trail and, with index, compares the
	// index used for queries with it.
	Verify(ctx context.Context, tenant string, r audit.Range, index bool) (protocol.AuditReport, error)
	// Rebuild rebuilds the index from the trail, and reports the differences.
	Rebuild(ctx context.Context, tenant string) (protocol.AuditReport, error)
	// Export returns the next lines of an export, each a JSON value without a line
	// break, and the cursor of the next page, empty on the last. A line's seal covers
	// exactly its bytes.
	Export(ctx context.Context, tenant string, q audit.Query, cursor string, limit int) (lines []json.RawMessage, next string, err error)
	// PublicKey returns the keys that verify the seals, in PEM.
	PublicKey(ctx context.Context) (pem []byte, err error)
}

// Views records who was shown what belongs to others: the arguments of their calls, their
// files, their tasks, the code of their tools.
type Views interface {
	// Consents records that the caller in ctx is shown consents. It is called before they are.
	Consents(ctx context.Context, tenant, operation string, list []protocol.Consent) error
	// Person records that the caller in ctx is shown what belongs to a person, or with an
	// empty user to everybody in the tenant. It is called before the caller is.
	Person(ctx context.Context, tenant, user, operation, what string) error
}

// Gate decides about calls and stores decisions. An operation whose part is nil returns
// unavailable.
type Gate struct {
	Consents Consents
	Grants   Grants
	Minter   Minter
	Audit    Audit
	// Views may be nil: then nothing is recorded.
	Views Views
}

// missing returns the error for an operation whose part is nil.
func missing(what string) *RequestError {
	return Unavailable("this dispatcher has no %s; use a dispatcher that was started with it", what)
}
