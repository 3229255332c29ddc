//go:build unix

package filetransfer

import (
	"io/fs"
	"syscall"
)

// inode returns the number of the file on its disk, or 0.
func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
