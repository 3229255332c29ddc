package sandbox

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(6)
		for depth, n := range []int{6, 3, 3, 3} {
			for range n {
				if err := s.take(t.Context(), depth); err != nil {
					t.Fatal(err)
				}
			}
		}
		if s.taken() != 15 {
			t.Errorf("%d are taken, want 15", s.taken())
		}
		got := make(chan error)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { got <- s.take(ctx, 1) }()
		synctest.Wait()
		cancel(nil)
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("take = %v, want the end of the context", err)
		}
		go func() { got <- s.take(t.Context(), 1) }()
		synctest.Wait()
		s.release(1)
		if err := <-got; err != nil {
			t.Errorf("take = %v, want the slot that was released", err)
		}
		s.release(1)
		if err := s.take(ctx, 1); err == nil {
			t.Error("take gave a slot to who has no time left")
		}
	})
	if few := newSlots(1); len(few) != MaxDepth+1 || cap(few[MaxDepth]) != 2 {
		t.Errorf("newSlots(1) = %d depths, %d slots in the last", len(few), cap(few[MaxDepth]))
	}
}
