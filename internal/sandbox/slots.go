package sandbox

import "context"

// slots bound how many runs go on at once, for each depth by itself. A run holds
// a slot of its depth and waits, through the calls it makes, only for those of
// the next one; the deepest wait for none. So whatever scripts call each other,
// somebody can always go on.
type slots []level

// level is the slots of one depth, and how tenants share them.
type level struct {
	free   chan struct{}
	shares *shares
}

func newSlots(n int) slots {
	s := slots{newLevel(n)}
	for len(s) <= MaxDepth {
		s = append(s, newLevel(max(2, n/2)))
	}
	return s
}

func newLevel(n int) level { return level{make(chan struct{}, n), newShares(n)} }

// take waits for a slot, or for the end of ctx.
func (s slots) take(ctx context.Context, depth int, tenant string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s[depth].shares.take(ctx, tenant); err != nil {
		return err
	}
	select {
	case s[depth].free <- struct{}{}:
		return nil
	case <-ctx.Done():
		s[depth].shares.release(tenant)
		return ctx.Err()
	}
}

func (s slots) release(depth int, tenant string) {
	<-s[depth].free
	s[depth].shares.release(tenant)
}

func (s slots) taken() int {
	n := 0
	for _, depth := range s {
		n += len(depth.free)
	}
	return n
}
