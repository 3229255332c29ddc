package schedule

import "testing"

// TestSweepWithoutWorkers: tasks whose last worker left are asked of nobody.
func TestSweepWithoutWorkers(t *testing.T) {
	t.Parallel()
	s := Sweeper{Pool: func() string { return "" }} // without a queue, so that a request would panic
	if n, err := s.sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("sweep = %d, %v, want nothing", n, err)
	}
}
