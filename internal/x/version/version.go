// Package version holds the version of a build, which the command line, the metrics,
// MCP and the traces report.
//
// It promises the same answer in every program of one build. It does not promise that
// two builds with the same version have the same bytes.
package version

import (
	"cmp"
	"runtime/debug"
)

// release is set by the linker for a release:
//
//	go build -ldflags "-X github.com/helve-dev/helve/internal/x/version.release=v1.2.3" ./cmd/...
var release string

// Unknown is the version of a build without a release, a module version and VCS data.
const Unknown = "unknown"

// shown is the number of digits of a commit in a version.
const shown = 12

// String returns the version of this build: the linker's, otherwise the module's,
// otherwise the commit, with "+dirty" if files were changed, otherwise [Unknown]. In a
// program of another module it is the version of this module there.
func String() string {
	info, _ := debug.ReadBuildInfo()
	return of(release, info)
}

// Revision returns the commit of this build, or "" if it is unknown.
func Revision() string {
	info, _ := debug.ReadBuildInfo()
	return revision(info)
}

func of(release string, info *debug.BuildInfo) string {
	if release != "" || info == nil {
		return cmp.Or(release, Unknown)
	}
	if info.Main.Path != module { // a program of somebody else, of which only the dependency is ours
		return cmp.Or(dependency(info), Unknown)
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	v := revision(info)
	if v != "" && setting(info, "vcs.modified") == "true" {
		v += "+dirty"
	}
	return cmp.Or(v, Unknown)
}

// module is the path of this module.
const module = "github.com/helve-dev/helve"

// dependency returns the version of this module in the build of another one.
func dependency(info *debug.BuildInfo) string {
	for _, d := range info.Deps {
		if d.Path != module {
			continue
		}
		if d.Replace != nil {
			d = d.Replace
		}
		if d.Version != "(devel)" {
			return d.Version
		}
	}
	return ""
}

func revision(info *debug.BuildInfo) string {
	if info != nil && info.Main.Path != module {
		return ""
	}
	v := setting(info, "vcs.revision")
	return v[:min(len(v), shown)]
}

func setting(info *debug.BuildInfo, key string) string {
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
