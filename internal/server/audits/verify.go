package audits

import (
	"context"
	"encoding/json"
	"fmt"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/protocol"
)

// Export implements [api.Audit].
func (a *Auditor) Export(ctx context.Context, tenant string, q audit.Query, cursor string, limit int) ([]json.RawMessage, string, error) {
	keys, err := keysync.Load(ctx, a.queue, keysync.Seal)
	if err != nil {
		return nil, "", err
	}
	if _, err := a.written(ctx); err != nil {
		return nil, "", err
	}
	e := &audit.Exporter{Source: a.stream, Seals: chain{a.stream}, Key: a.key, Old: keys, Keep: a.keep}
	return e.Page(ctx, tenant, q, cursor, limit)
}

// PublicKey implements [api.Audit].
func (a *Auditor) PublicKey(ctx context.Context) ([]byte, error) {
	keys, err := keysync.Load(ctx, a.queue, keysync.Seal)
	if err != nil {
		return nil, err
	}
	return keyfile.PublicPEM(keys...), nil
}

// Verify implements [api.Audit].
func (a *Auditor) Verify(ctx context.Context, tenant string, r audit.Range, index bool) (protocol.AuditReport, error) {
	if _, err := a.written(ctx); err != nil {
		return protocol.AuditReport{}, err
	}
	keys, err := keysync.Load(ctx, a.queue, keysync.Seal)
	if err != nil {
		return protocol.AuditReport{}, err
	}
	v := &audit.Verifier{Source: a.stream, Seals: chain{a.stream}, Keys: keys, Keep: a.keep}
	report, err := v.Verify(ctx, tenant, r)
	if err != nil || !index {
		return report, err
	}
	return report, a.compare(ctx, tenant, false, report.Add)
}

// Rebuild implements [api.Audit].
func (a *Auditor) Rebuild(ctx context.Context, tenant string) (protocol.AuditReport, error) {
	var report protocol.AuditReport
	if err := a.compare(ctx, tenant, true, report.Add); err != nil {
		return protocol.AuditReport{}, err
	}
	a.log.Warn("audit index rebuilt from the stream", zap.String("tenant", tenant), zap.Uint64("differences", report.Found))
	report.OK = report.Found == 0
	return report, nil
}

// compare compares the index with the stream.
func (a *Auditor) compare(ctx context.Context, tenant string, repair bool, found func(protocol.AuditProblem)) error {
	if _, err := a.written(ctx); err != nil {
		return err
	}
	_, last, _, err := stream.On(a.queue.Conn).Range(ctx)
	if err != nil {
		return err
	}
	if _, err := a.fresh(ctx, last); err != nil {
		return err
	}
	to, err := a.index.Compare(ctx, rows{a.stream}, tenant, repair, found)
	if err == nil && to < last {
		found(protocol.AuditProblem{Seq: to + 1, Kind: protocol.ProblemIndexBehind, Detail: fmt.Sprintf(
			"the index was compared up to place %d of %d, because it was not copied further; ask again when it has caught up", to, last)})
	}
	return err
}
