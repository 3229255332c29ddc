package api

import (
	"context"

	"github.com/helve-dev/helve/protocol"
)

// Checks examines the system.
type Checks interface {
	Check(ctx context.Context) protocol.CheckReport
}

// checkSystem is for the tenant default only: the system is every tenant's.
func (s *Service) checkSystem(ctx context.Context, in Input) (Reply, error) {
	switch {
	case s.Checks == nil:
		return Reply{}, missing("checks")
	case in.Tenant != DefaultTenant:
		return Reply{}, Forbidden("the system is that of every tenant; ask in the tenant %s", DefaultTenant)
	}
	return answer(s.Checks.Check(ctx))
}
