package index

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

// finals limits the final records of one call that are read. There is one, unless a
// worker wrote records of calls of another pool.
const finals = 8

// Finals returns the final records of a call, oldest first, without those of superseded
// results. [Index.Wait] returns when the index has them.
func (x *Index) Finals(ctx context.Context, tenant, callID string) (all []protocol.AuditRecord, err error) {
	if callID == "" {
		return nil, nil
	}
	err = x.read(ctx, func(t *tx) error {
		s, err := t.search(ctx, &audit.Query{Tenant: tenant, CallID: callID})
		if err != nil {
			return err
		}
		for from := place(0); len(all) < finals; from++ {
			records, err := s.first(ctx, from, 1)
			if err != nil || len(records) == 0 {
				return err
			}
			if r := records[0].show(tenant); audit.FinalOf(&r) != "" {
				all = append(all, r)
			}
			from = records[0].at
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", audit.ErrIndex, err)
	}
	return all, nil
}
