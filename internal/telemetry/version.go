package telemetry

import "runtime/debug"

// Version is the version of this build: the module's where it was built as
// one, else the commit it was built from, else "unknown".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return unknown
}
