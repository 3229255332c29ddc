package testtime

import (
	"flag"
	"testing"
	"time"
)

// TestPatience: a wait ends before the test binary does.
func TestPatience(t *testing.T) { // changes a flag of the process: not in parallel
	f := flag.Lookup("test.timeout")
	defer func(before string) { _ = f.Value.Set(before) }(f.Value.String())
	for limit, want := range map[string]time.Duration{"15m": 150 * time.Second, "10m": 100 * time.Second, "0": unlimited} {
		if err := f.Value.Set(limit); err != nil {
			t.Fatal(err)
		}
		if got := Patience(); got != want {
			t.Errorf("Patience with a timeout of %s = %v, want %v", limit, got, want)
		}
	}
}
