package sandbox

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
)

func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(6)
		for depth, n := range []int{6, 3, 3, 3} {
			for i := range n {
				if err := s.take(t.Context(), depth, strconv.Itoa(i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if s.taken() != 15 {
			t.Errorf("%d are taken, want 15", s.taken())
		}
		got := make(chan error)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { got <- s.take(ctx, 1, "late") }()
		synctest.Wait()
		cancel(nil)
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("take = %v, want the end of the context", err)
		}
		go func() { got <- s.take(t.Context(), 1, "late") }()
		synctest.Wait()
		s.release(1, "0")
		if err := <-got; err != nil {
			t.Errorf("take = %v, want the slot that was released", err)
		}
		s.release(1, "1")
		if err := s.take(ctx, 1, "late"); err == nil {
			t.Error("take gave a slot to who has no time left")
		}
	})
	if few := newSlots(1); len(few) != MaxDepth+1 || cap(few[MaxDepth].free) != 2 {
		t.Errorf("newSlots(1) = %d depths, %d slots in the last", len(few), cap(few[MaxDepth].free))
	}
}

// TestSharesOfTenants: however much one tenant wants, others find a slot.
func TestSharesOfTenants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(8)
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error, 20)
		for range 20 {
			go func() { got <- s.take(ctx, 0, "greedy") }()
		}
		synctest.Wait()
		if len(got) != 6 {
			t.Errorf("a tenant has %d of 8 slots, want 6", len(got))
		}
		for _, tenant := range []string{"a", "b"} {
			if err := s.take(ctx, 0, tenant); err != nil {
				t.Errorf("%s found no slot: %v", tenant, err)
			}
		}
		cancel()
		synctest.Wait()
		for range 6 {
			s.release(0, "greedy")
		}
		s.release(0, "a")
		s.release(0, "b")
		if n := len(s[0].shares.tenants); s.taken() != 0 || n != 0 {
			t.Errorf("%d slots are taken and %d tenants remembered, want none", s.taken(), n)
		}
	})
}
