//go:build !linux

package device

// Memory returns 0: it is not known on this system.
func Memory() int64 { return 0 }
