package system

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// rest is where the goroutine of TestWithin waits.
func rest(c chan struct{}) { <-c }

// TestWithin: a process that does not end is described by its own goroutines only.
func TestWithin(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	defer close(over)
	ours, _, err := spawn("a worker", func(_ context.Context, ready func(string)) error { ready("here"); rest(over); return nil })
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := spawn("another worker", func(ctx context.Context, ready func(string)) error { ready("there"); <-ctx.Done(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	err = within(time.Millisecond, "a worker", ours.drain)
	if late := (*lateError)(nil); !errors.As(err, &late) || !strings.Contains(err.Error(), "waited in vain for a worker") ||
		!strings.Contains(late.stacks, "system.rest") {
		t.Errorf("within = %v, want an error with the goroutine that rests", err)
	}
	if strings.Contains(err.Error(), "another worker") {
		t.Errorf("the error shows goroutines of another process: %v", err)
	}
	if err := within(time.Minute, "another worker", other.drain); err != nil {
		t.Errorf("within = %v, want no error of a process that ends", err)
	}
}

// TestSpawnEnded: a process that ends before it is ready is no process.
func TestSpawnEnded(t *testing.T) {
	t.Parallel()
	_, _, err := spawn("a worker", func(context.Context, func(string)) error { return errors.New("no port") })
	if err == nil || !strings.Contains(err.Error(), "a worker ended before it was ready: no port") {
		t.Errorf("spawn = %v, want the error of the process", err)
	}
}
