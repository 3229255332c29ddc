//go:build !linux

package launch

// Child serves as a launcher on Linux only.
func Child() {}
