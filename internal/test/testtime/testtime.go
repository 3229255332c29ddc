// Package testtime bounds the time that tests take.
//
// It promises bounds of waits that only a test which hangs reaches: they grow with the -timeout
// of the test binary, which is chosen for the machine. It is the only package that asks for
// -short. What it leaves out then is visible: for a package `go test` prints "[no tests to run]",
// and a test is skipped with a reason. docs/testing.md lists the places. It does not shorten the
// build: `go test` links every test binary, whatever runs in it. It is for tests only.
package testtime

import (
	"flag"
	"time"
)

const (
	// part is the part of the timeout that one wait may take: the test that hangs is named
	// before the binary is ended, and a few such tests leave the others their time.
	part = 6
	// unlimited is the bound where the binary has no timeout.
	unlimited = 10 * time.Minute
)

// Patience returns how long a test waits for what must happen. It must not be called before
// the flags are parsed.
func Patience() time.Duration {
	f := flag.Lookup("test.timeout")
	if f == nil {
		return unlimited
	}
	if limit, err := time.ParseDuration(f.Value.String()); err == nil && limit > 0 {
		return limit / part
	}
	return unlimited
}
