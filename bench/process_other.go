//go:build !linux

package bench

import "syscall"

// dieWithParent does nothing here: a child also ends when its standard input
// does.
func dieWithParent() *syscall.SysProcAttr { return nil }

// ownUsage returns nothing on this system.
func ownUsage() usage { return usage{} }

// residentBytes returns 0 on this system.
func residentBytes() int64 { return 0 }

// lowestPriority does nothing here.
func lowestPriority() {}
