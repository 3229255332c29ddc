// Package testtime bounds the waits of tests.
//
// It promises bounds that only a test which hangs reaches: they grow with the -timeout of
// the test binary, which is chosen for the machine. It is for tests only.
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
