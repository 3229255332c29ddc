//go:build !linux

package bench

import "syscall"

// dieWithParent does nothing here: a child also ends when its standard input
// does.
func dieWithParent() *syscall.SysProcAttr { return nil }

// ownUsage is not measured on this system.
func ownUsage() usage { return usage{} }
