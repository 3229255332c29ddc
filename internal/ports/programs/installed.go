package programs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// bins lists the directories of an installation in which package managers put programs:
// npm, and pnpm with --dir lib.
var bins = []string{"bin", "lib/node_modules/.bin"}

// installed returns the file of a program that the user has installed, "" if there is
// none.
func (r *runner) installed(name string) string {
	if r.installs == "" || !valid(name) {
		return ""
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(r.installs, name))
	if err != nil {
		return ""
	}
	for _, bin := range bins {
		file := filepath.Join(r.installs, name, bin, name)
		if target, err := filepath.EvalSymlinks(file); err == nil && below(target, dir) && executable(file) {
			return file
		}
	}
	return ""
}

// installing returns the directory of the program that a run installs, and creates it if
// necessary.
func (r *runner) installing(name string) (string, error) {
	switch {
	case r.installs == "":
		return "", tool.Fail(tool.NotConfigured,
			"Programs cannot be installed on this worker; its operator installs '%s' (%s) in a directory of programs.path", name, howTo(name))
	case !valid(name):
		return "", tool.Fail(tool.ValidationError, "A program is named without slashes, not '%s'", name)
	}
	dir := filepath.Join(r.installs, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", tool.Fail(tool.Internal, "The worker has no room for installed programs").Because(err)
	}
	return filepath.EvalSymlinks(dir)
}

// system returns what the programs of this user may read and run: the parts of the host,
// and what the user has installed.
func (r *runner) system() []string {
	if r.installs == "" {
		return r.programs.system
	}
	return append(slices.Clip(r.programs.system), r.installs)
}

func valid(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}
