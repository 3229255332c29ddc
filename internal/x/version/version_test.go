package version

import (
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"}}
	dirty := append(vcs[:1:1], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	pkg := func(v string) debug.Module { return debug.Module{Path: "github.com/helve-dev/helve", Version: v} }
	for _, tt := range []struct {
		name, release string
		info          *debug.BuildInfo
		want          string
	}{
		{"release", "v1.2.3", &debug.BuildInfo{Main: pkg("v0.9.0"), Settings: vcs}, "v1.2.3"},
		{"module", "", &debug.BuildInfo{Main: pkg("v0.9.0"), Settings: vcs}, "v0.9.0"},
		{"commit", "", &debug.BuildInfo{Main: pkg("(devel)"), Settings: vcs}, "0123456789ab"},
		{"changed files", "", &debug.BuildInfo{Main: pkg("(devel)"), Settings: dirty}, "0123456789ab+dirty"},
		{"of a worker", "", &debug.BuildInfo{
			Main:     debug.Module{Path: "example.com/worker", Version: "v9.9.9"},
			Settings: vcs,
			Deps:     []*debug.Module{{Path: "a.b/c", Version: "v3.0.0"}, {Path: "github.com/helve-dev/helve", Version: "v1.4.0"}},
		}, "v1.4.0"},
		{"of a worker beside a checkout", "", &debug.BuildInfo{
			Main:     debug.Module{Path: "example.com/worker", Version: "v9.9.9"},
			Settings: vcs,
			Deps: []*debug.Module{
				{Path: "github.com/helve-dev/helve", Version: "v0.0.0", Replace: &debug.Module{Path: "../helve", Version: "(devel)"}},
			},
		}, Unknown},
		{"nothing recorded", "", &debug.BuildInfo{Main: pkg("(devel)")}, Unknown},
		{"no build info", "", nil, Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := of(tt.release, tt.info); got != tt.want {
				t.Errorf("of = %q, want %q", got, tt.want)
			}
		})
	}
}
