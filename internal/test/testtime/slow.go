package testtime

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Slow leaves out a test under -short. A helper that starts something slow calls it, so the
// tests that need it are left out together.
func Slow(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: left out: " + why)
	}
}

// SlowPackage leaves out every test of a package under -short, and reports whether it did. A
// TestMain calls it before it starts anything, and then m.Run. It parses the flags.
func SlowPackage(why string) bool {
	if !flag.Parsed() {
		flag.Parse()
	}
	if !testing.Short() {
		return false
	}
	fmt.Fprintln(os.Stderr, "short: left out the tests of this package:", why)
	// With these values nothing is selected, and `go test` prints "[no tests to run]".
	for name, value := range map[string]string{"test.run": "^$", "test.fuzz": "", "test.bench": ""} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	return true
}
