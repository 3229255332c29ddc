package peer

import (
	"errors"
	"testing"
	"time"
)

// TestRequestsAreBounded: the waiting requests use no more than the budget, one sender no
// more than a quarter, and release it.
func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	r := &requests{}
	var done []func()
	for _, asker := range []string{"a", "b", "c", "d"} {
		before := len(done)
		for {
			d, refusal := r.begin(asker, size)
			if refusal != nil {
				if !errors.Is(refusal, errCrowded) {
					t.Fatal(refusal)
				}
				break
			}
			if done = append(done, d); len(done) > maxHeld/size {
				t.Fatalf("%d requests of %d bytes are taken", len(done), size)
			}
		}
		if n := len(done) - before; n == 0 || n > maxHeld/4/size {
			t.Errorf("%s has %d requests, want some and at most a quarter of the budget", asker, n)
		}
	}
	for _, d := range done {
		d()
	}
	if r.held != 0 || len(r.by) != 0 || r.running != 0 {
		t.Errorf("%d bytes of %d askers and %d requests are left", r.held, len(r.by), r.running)
	}
	r.stop()
	if _, refusal := r.begin("a", 1); !errors.Is(refusal, errStopping) {
		t.Errorf("after the stop a request is refused with %v", refusal)
	}
}

// TestRefusedRequestsAreCounted: many requests without a reply subject make few log lines.
func TestRefusedRequestsAreCounted(t *testing.T) {
	t.Parallel()
	r, at, lines, counted := &requests{}, time.Now(), 0, 0
	for range 1000 {
		if n := r.refused(at); n > 0 {
			lines, counted = lines+1, counted+n
		}
		at = at.Add(100 * time.Millisecond)
	}
	if lines != 10 || counted < 900 {
		t.Errorf("1,000 requests in 100 s made %d lines that count %d", lines, counted)
	}
}
