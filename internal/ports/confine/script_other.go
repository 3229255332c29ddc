//go:build !linux

package confine

import (
	"errors"
	"runtime"
)

var errElsewhere = errors.New(runtime.GOOS + " has no Landlock and no seccomp; run workers with dynamic tools on Linux")

func apply(Script) error { return errElsewhere }

func probe() []Part {
	return []Part{{Name: "linux", Mandatory: true, Detail: errElsewhere.Error()}}
}

func namespaces() (uintptr, []Part) { return 0, nil }

func reexec([]string) error { return nil }
