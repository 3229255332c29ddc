package sandbox

import (
	"context"
	"sync"
)

// shares keep one tenant from taking every slot of a depth: a quarter is left for
// others, so that they wait for their like and not for it.
type shares struct {
	most int

	mu      sync.Mutex
	tenants map[string]*share
}

// share is what one tenant has. It is forgotten when nobody holds or wants a part.
type share struct {
	parts chan struct{}
	users int
}

func newShares(slots int) *shares {
	return &shares{most: max(1, slots-max(1, slots/4)), tenants: map[string]*share{}}
}

// take waits for a part of the tenant's share, or for the end of ctx.
func (s *shares) take(ctx context.Context, tenant string) error {
	s.mu.Lock()
	own := s.tenants[tenant]
	if own == nil {
		own = &share{parts: make(chan struct{}, s.most)}
		s.tenants[tenant] = own
	}
	own.users++
	s.mu.Unlock()
	select {
	case own.parts <- struct{}{}:
		return nil
	case <-ctx.Done():
		s.leave(tenant, own)
		return ctx.Err()
	}
}

func (s *shares) release(tenant string) {
	s.mu.Lock()
	own := s.tenants[tenant]
	s.mu.Unlock()
	<-own.parts
	s.leave(tenant, own)
}

func (s *shares) leave(tenant string, own *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(s.tenants, tenant)
	}
}
