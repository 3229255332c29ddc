//go:build !linux

package lockdown

import (
	"errors"
	"runtime"
)

var errElsewhere = errors.New(runtime.GOOS + " has no Landlock and no seccomp; run workers with dynamic tools on Linux")

func apply(Options) error { return errElsewhere }

func probe() []Part {
	return []Part{{Name: "linux", Mandatory: true, Detail: errElsewhere.Error()}}
}

func namespaces() (uintptr, []Part) { return 0, nil }
