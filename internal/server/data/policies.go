package data

import (
	"context"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// Policies implements [api.Policies]. Workers decide about calls, so a worker answers.
type Policies struct {
	Asker

	// All has the tools of every person.
	All *catalog.Tenants
}

// Explain implements [api.Policies].
func (p Policies) Explain(ctx context.Context, tenant string, q protocol.PolicyQuestion) (m protocol.PolicyExplanation, err error) {
	def, ok := p.All.Of(tenant, q.User).Lookup(q.Tool)
	if !ok {
		return m, api.NotFound("there is no tool %.80q; tools.list has those there are", q.Tool)
	}
	pool, err := p.Pool(def.Pool)
	if err != nil {
		return m, err
	}
	err = p.Ask(ctx, pool, peer.DataRequest{Op: peer.DataPolicyExplain, Tenant: tenant, Policy: &q}, nil, nil, &m)
	return m, err
}

// InForce implements [api.Policies].
func (p Policies) InForce(ctx context.Context, pool string) (in protocol.PolicyInForce, err error) {
	answering, err := p.Pool(pool)
	if err != nil {
		return in, err
	}
	if pool != "" && pool != answering {
		return in, api.NotFound("no pool %.80q has workers that answer about their rules", pool)
	}
	err = p.Ask(ctx, answering, peer.DataRequest{Op: peer.DataPolicy, Tenant: api.DefaultTenant}, nil, nil, &in)
	in.Pool = answering
	return in, err
}
