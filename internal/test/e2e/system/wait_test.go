package system

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
)

// failing records how a test fails.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestWaits: each wait that is in vain fails its test with a sentence.
func TestWaits(t *testing.T) { // changes a flag of the process: not in parallel
	f := flag.Lookup("test.timeout")
	defer func(before string) { _ = f.Value.Set(before) }(f.Value.String())
	if err := f.Value.Set("4ms"); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	defer close(over)
	for name, wait := range map[string]func(t testing.TB){
		"Receive":    func(t testing.TB) { Receive(t, "pigs fly", over) },
		"Await":      func(t testing.TB) { Await(t, "pigs fly", func() { <-over }) },
		"Eventually": func(t testing.TB) { Eventually(t, "pigs fly", func() bool { return false }) },
	} {
		test := &failing{}
		done := make(chan struct{})
		go func() { defer close(done); wait(test) }()
		<-done
		if test.said != "waited in vain until pigs fly" {
			t.Errorf("%s fails with %q", name, test.said)
		}
	}
}
