package sandbox

import "context"

// slots bound how many runs go on at once, for each depth by itself. A run holds
// a slot of its depth and waits, through the calls it makes, only for those of
// the next one; the deepest wait for none. So whatever scripts call each other,
// somebody can always go on.
type slots []chan struct{}

func newSlots(n int) slots {
	s := slots{make(chan struct{}, n)}
	for len(s) <= MaxDepth {
		s = append(s, make(chan struct{}, max(2, n/2)))
	}
	return s
}

// take waits for a slot, or for the end of ctx.
func (s slots) take(ctx context.Context, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s[depth] <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slots) release(depth int) { <-s[depth] }

func (s slots) taken() int {
	n := 0
	for _, depth := range s {
		n += len(depth)
	}
	return n
}
