//go:build linux || darwin

package device

import "golang.org/x/sys/unix"

// Of returns the room on the device of dir.
func Of(dir string) (Space, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return Space{}, err
	}
	block := int64(fs.Bsize) //nolint:unconvert // its type differs by system
	return Space{Free: int64(fs.Bavail) * block, Total: int64(fs.Blocks) * block}, nil
}
