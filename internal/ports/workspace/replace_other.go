//go:build !linux

package workspace

import (
	"errors"
	"io/fs"
	"os"
)

// exchange is not supported here.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

// settleNew is not supported here.
func settleNew(*os.Root, string, string) error { return errors.ErrUnsupported }

// carry is not supported here.
func carry(*os.Root, string, *os.Root, string) error { return errors.ErrUnsupported }

// links returns 0: the number is unknown.
func links(fs.FileInfo) uint64 { return 0 }
