//go:build !failpoint

package failpoint

// Hit does nothing and returns nil.
func Hit(string) error { return nil }
