package system

import (
	"context"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// Eventually waits until ok returns true. What completes "waited in vain until".
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	// Polling costs time, too, which adds up in many parallel tests: the longer the wait,
	// the longer the interval.
	const first, last = 5 * time.Millisecond, 100 * time.Millisecond
	end := time.Now().Add(testtime.Patience())
	for pace := first; !ok(); pace = min(pace*5/4, last) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
		<-time.After(pace)
	}
}

// Await runs f and waits until it returns. What completes "waited in vain until".
func Await(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	Receive(t, what, done)
}

// Receive returns the next value of a channel, the zero value if it is closed. What
// completes "waited in vain until".
func Receive[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	end := time.NewTimer(testtime.Patience())
	defer end.Stop()
	select {
	case v := <-c:
		return v
	case <-end.C:
		t.Fatalf("waited in vain until %s", what)
		panic("unreachable")
	}
}

// Context returns the context of a test with a deadline.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	t.Cleanup(cancel)
	return ctx
}
