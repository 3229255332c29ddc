//go:build !amd64 && !arm64

package confine

import (
	"errors"
	"runtime"

	"golang.org/x/sys/unix"
)

const refused = unix.EPERM

func listed() error {
	return errors.New("the system calls of " + runtime.GOARCH + " are not listed; run workers on amd64 or arm64")
}

func filterScript() error { return listed() }

func (p *Program) filter() error { return listed() }
