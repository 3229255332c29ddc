package program

import (
	"cmp"
	"context"

	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/durable"
)

// nobody is the person of calls without a user.
const nobody = "_"

// Erase cancels the programs of a person that have not ended, and removes all of them with their
// journals.
func (s *Service) Erase(ctx context.Context, tenant, user string) error {
	var own []*known
	s.index.each(func(k *known) {
		if k.key.Tenant == tenant && cmp.Or(k.user, nobody) == user {
			own = append(own, k)
		}
	})
	for _, k := range own {
		if k.state != durable.Done {
			if _, err := s.calls.Cancel(asProgram(ctx, k.key), tenant, k.key.CallID); err != nil {
				return err
			}
		}
		if err := s.Store.Remove(ctx, programs.Key{Tenant: tenant, CallID: k.key.CallID}); err != nil {
			return err
		}
	}
	return nil
}
