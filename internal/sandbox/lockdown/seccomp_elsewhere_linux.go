//go:build !amd64 && !arm64

package lockdown

import (
	"errors"
	"runtime"
)

func listed() error {
	return errors.New("the system calls of " + runtime.GOARCH + " are not listed; run workers with dynamic tools on amd64 or arm64")
}

func filterCalls() error { return listed() }
