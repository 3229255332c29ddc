package dispatcher

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// policies implements [api.Policies]. Workers decide about calls, so a worker answers.
type policies struct {
	queue *queue.Queue
	tools *catalog.Tenants
}

// pool returns the pool whose workers answer: that of a tool if they can, otherwise the
// first pool with workers that can.
func (p policies) pool(wanted string) (string, error) {
	all := poolsOf(p.tools.Shared)
	switch {
	case len(all) == 0:
		return "", noWorker(wanted)
	case slices.Contains(all, wanted):
		return wanted, nil
	}
	return all[0], nil
}

// Explain implements [api.Policies].
func (p policies) Explain(ctx context.Context, tenant string, q protocol.PolicyQuestion) (m protocol.PolicyExplanation, err error) {
	def, ok := p.tools.Of(tenant, q.User).Lookup(q.Tool)
	if !ok {
		return m, api.NotFound("there is no tool %.80q; tools.list has those there are", q.Tool)
	}
	pool, err := p.pool(def.Pool)
	if err != nil {
		return m, err
	}
	err = personal{queue: p.queue}.ask(ctx, pool, peer.DataRequest{Op: peer.DataPolicyExplain, Tenant: tenant, Policy: &q}, nil, nil, &m)
	return m, err
}

// InForce implements [api.Policies].
func (p policies) InForce(ctx context.Context, pool string) (in protocol.PolicyInForce, err error) {
	answering, err := p.pool(pool)
	if err != nil {
		return in, err
	}
	if pool != "" && pool != answering {
		return in, api.NotFound("no pool %.80q has workers that answer about their rules", pool)
	}
	err = personal{queue: p.queue}.ask(ctx, answering, peer.DataRequest{Op: peer.DataPolicy, Tenant: api.DefaultTenant}, nil, nil, &in)
	in.Pool = answering
	return in, err
}
