package helperbin

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Beside returns the path of another program of this project: the one in the directory
// of this program, or else the one on the PATH.
func Beside(program string) (path string, found bool) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), program)); err == nil {
			return path, true
		}
	}
	path, err := exec.LookPath(program)
	return path, err == nil
}
