package api

import (
	"context"

	"github.com/helve-dev/helve/protocol"
)

// Checks examines the system.
type Checks interface {
	Check(ctx context.Context) protocol.CheckReport
}

// WithChecks enables the operation that examines the system.
func (s *Service) WithChecks(c Checks) *Service {
	s.checks = c
	return s
}

// checkSystem is for the tenant default only: the system is every tenant's.
func (s *Service) checkSystem(ctx context.Context, in Input) (Reply, error) {
	switch {
	case s.checks == nil:
		return Reply{}, missing("checks")
	case in.Tenant != DefaultTenant:
		return Reply{}, Forbidden("the system is that of every tenant; ask in the tenant %s", DefaultTenant)
	}
	return answer(s.checks.Check(ctx))
}
