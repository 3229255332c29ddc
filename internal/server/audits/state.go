package audits

import (
	"context"
	"crypto/ed25519"
	"errors"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/telemetry/syscheck"
)

// systemTenant holds the records that concern every tenant.
const systemTenant = "default"

// Answers reports whether the audit index can be read.
func (a *Auditor) Answers(ctx context.Context) error {
	_, err := a.index.Query(ctx, audit.Query{Tenant: systemTenant, Limit: 1})
	return err
}

var errFound = errors.New("a record without a seal was found")

// State returns how far the seals and the index are behind the trail.
func (a *Auditor) State(ctx context.Context) (s syscheck.AuditState, err error) {
	s.Unindexed = a.unindexed.Load()
	keys, err := a.seals.Keys(ctx)
	if err != nil {
		return s, err
	}
	to, err := audit.SealedTo(ctx, a.seals.Seals, keys...)
	if err != nil {
		return s, err
	}
	ext, err := a.stream.Extent(ctx, "")
	if err != nil || to >= ext.Last {
		return s, err
	}
	err = a.stream.Read(ctx, to+1, ext.Last, "", func(m audit.Message) error {
		s.Unsealed = time.Since(m.At)
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return s, err
}

// Published reports whether other processes can verify the seals of this one.
func (a *Auditor) Published(ctx context.Context) (bool, error) {
	keys, err := keysync.Load(ctx, a.queue, keysync.Seal)
	if err != nil {
		return false, err
	}
	own, _ := a.key.Public().(ed25519.PublicKey)
	return slices.ContainsFunc(keys, func(key ed25519.PublicKey) bool { return key.Equal(own) }), nil
}
