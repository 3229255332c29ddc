package testtime

import (
	"flag"
	"testing"
)

// TestSlow: with -short a package has no tests to run and a test is skipped; without it
// both run.
func TestSlow(t *testing.T) { // changes flags of the process: not in parallel
	for _, name := range []string{"test.short", "test.run", "test.fuzz", "test.bench"} {
		f := flag.Lookup(name)
		defer func(before string) { _ = f.Value.Set(before) }(f.Value.String())
	}
	for _, on := range []bool{false, true} {
		for name, value := range map[string]string{"test.run": "TestX", "test.bench": "."} {
			if err := flag.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if err := flag.Set("test.short", map[bool]string{true: "true", false: "false"}[on]); err != nil {
			t.Fatal(err)
		}
		if got := SlowPackage("it is a test"); got != on {
			t.Errorf("-short=%v: Package = %v, want %v", on, got, on)
		}
		run, bench := flag.Lookup("test.run").Value.String(), flag.Lookup("test.bench").Value.String()
		if left := run == "^$" && bench == ""; left != on {
			t.Errorf("-short=%v: -run %q -bench %q", on, run, bench)
		}
		ran := false
		t.Run("helper", func(t *testing.T) {
			Slow(t, "it is a test")
			ran = true
		})
		if ran == on {
			t.Errorf("-short=%v: the test ran: %v", on, ran)
		}
	}
}
