// Package secretfile checks that a file with a secret is protected from other users.
//
// It promises to refuse a file that users other than its owner and the groups of this
// process can read or change. A Kubernetes Secret passes: it is owned by root and
// readable by the group of the pod.
//
// It does not check whether the other members of these groups may know the secret.
package secretfile

import (
	"fmt"
	"io/fs"
	"slices"
)

// Check returns an error with advice if other users can read or change the file.
func Check(info fs.FileInfo) error {
	gid, known := group(info)
	if !known {
		return nil
	}
	return check(info.Mode().Perm(), gid, groups())
}

func check(mode fs.FileMode, gid int, own []int) error {
	if mode&0o007 != 0 || mode&0o070 != 0 && !slices.Contains(own, gid) {
		return fmt.Errorf("it can be read or changed by others (mode %04o, group %d): run chmod 600 on it", mode, gid)
	}
	return nil
}
