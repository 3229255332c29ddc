//go:build !unix

package secretfile

import "io/fs"

// group reports that files have no group here.
func group(fs.FileInfo) (gid int, known bool) { return 0, false }

func groups() []int { return nil }
