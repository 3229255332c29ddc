//go:build unix

package secretfile

import (
	"io/fs"
	"os"
	"syscall"
)

// group returns the group of a file.
func group(info fs.FileInfo) (gid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Gid), true
}

// groups returns the groups of this process.
func groups() []int {
	all, err := os.Getgroups()
	if err != nil {
		all = nil
	}
	return append(all, os.Getegid())
}
