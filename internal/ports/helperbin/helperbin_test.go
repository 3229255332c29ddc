package helperbin

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/childtest"
	"github.com/helve-dev/helve/internal/test/testtime"
)

func TestSame(t *testing.T) {
	t.Parallel()
	build := func(version string, change ...func(*debug.BuildInfo)) *debug.BuildInfo {
		info := &debug.BuildInfo{
			GoVersion: "go1.26.1",
			Main:      debug.Module{Path: module, Version: version},
			Settings:  []debug.BuildSetting{{Key: "GOARCH", Value: "amd64"}},
		}
		for _, c := range change {
			c(info)
		}
		return info
	}
	// team is a worker of somebody else's, with Helve of that version in it.
	team := func(version string, change ...func(*debug.BuildInfo)) *debug.BuildInfo {
		return build("v9.9.9", append([]func(*debug.BuildInfo){func(i *debug.BuildInfo) {
			i.Main.Path, i.Deps = "example.com/team", []*debug.Module{
				{Path: "example.com/other", Version: "v1.0.0"}, {Path: module, Version: version},
			}
		}}, change...)...)
	}
	with := func(key, value string) func(*debug.BuildInfo) {
		return func(i *debug.BuildInfo) {
			i.Settings = append([]debug.BuildSetting{{Key: key, Value: value}}, i.Settings...)
		}
	}
	for name, tt := range map[string]struct {
		a, b *debug.BuildInfo
		want bool
	}{
		"the same release":          {build("v1.2.3"), build("v1.2.3"), true},
		"the same commit":           {build("v0.0.0-20261122215257-b979d995488f"), build("v0.0.0-20261122215257-b979d995488f"), true},
		"a team's worker":           {team("v1.2.3"), build("v1.2.3"), true},
		"a team's worker, an older": {team("v1.2.2"), build("v1.2.3"), false},
		"another's version only":    {team(""), build("v9.9.9"), false},
		"a replaced module": {
			team("v1.2.3", func(i *debug.BuildInfo) { i.Deps[1].Replace = &debug.Module{Path: "../helve"} }), build("v1.2.3"), false,
		},
		"another release":   {build("v1.2.3"), build("v1.2.4"), false},
		"no repository":     {build("(devel)"), build("(devel)"), false},
		"no version":        {build(""), build(""), false},
		"changes":           {build("v1.2.3+dirty"), build("v1.2.3+dirty"), false},
		"another Go":        {build("v1.2.3"), build("v1.2.3", func(i *debug.BuildInfo) { i.GoVersion = "go1.26.2" }), false},
		"other tags":        {build("v1.2.3"), build("v1.2.3", with("-tags", "failpoint")), false},
		"another processor": {build("v1.2.3"), build("v1.2.3", with("GOARCH", "arm64")), false},
		"another program":   {build("v1.2.3"), build("v1.2.3", func(i *debug.BuildInfo) { i.Main.Path = "example.com/x" }), false},
		"nothing known":     {nil, build("v1.2.3"), false},
	} {
		if got := same(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: same = %v, want %v", name, got, tt.want)
		}
	}
}

var built = childtest.Program("cmd/helve-child")

// install returns the path of a helve-child of its own for the test.
func install(t *testing.T) string {
	t.Helper()
	testtime.Slow(t, "it builds a program")
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(t.TempDir(), name)
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestChoose(t *testing.T) {
	t.Parallel()
	fits, other := func(*debug.BuildInfo) bool { return true }, func(*debug.BuildInfo) bool { return false }
	text := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	open, theirs := install(t), install(t)
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	foreign := "belongs to another user"
	if err := os.Chown(theirs, 65534, 65534); err != nil {
		t.Log("NOT TESTED: a program of another user: ", err)
		theirs, foreign = filepath.Join(t.TempDir(), name), "there is no "
	}
	for path, tt := range map[string]struct {
		fits func(*debug.BuildInfo) bool
		why  string
	}{
		filepath.Join(t.TempDir(), name): {fits, "there is no "},
		t.TempDir():                      {fits, "is no program of Go"},
		text:                             {fits, "is no program of Go"},
		open:                             {fits, "can be written by others"},
		theirs:                           {fits, foreign},
		install(t):                       {other, "same build; build both from the same commit or version"},
	} {
		if got := choose(path, tt.fits); got.path != self || !strings.Contains(got.detail, tt.why) || !strings.Contains(got.detail, path) {
			t.Errorf("choose(%s) = %+v, want this program because %q", path, got, tt.why)
		}
	}
}

// TestChosenStays: the file that was checked is started, even if the path is replaced later.
func TestChosenStays(t *testing.T) {
	t.Parallel()
	path := install(t)
	got := choose(path, func(*debug.BuildInfo) bool { return true })
	if got.path == self || got.detail != path {
		t.Fatalf("choose = %+v, want the one at %s", got, path)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho another\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	cmd := exec.CommandContext(t.Context(), got.path)
	for range 8 { // they do not take the place of the program
		cmd.ExtraFiles = append(cmd.ExtraFiles, null)
	}
	said, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "helve-child: only a worker can start this program") {
		t.Errorf("it said %q, %v; want what helve-child says alone", said, err)
	}
}

// TestCommand: a test binary has no helve-child beside it.
func TestCommand(t *testing.T) {
	t.Parallel()
	if got := Command("role"); len(got) != 2 || got[0] != self || got[1] != "role" {
		t.Errorf("Command = %q, want this program", got)
	}
	if !strings.Contains(Describe(), "there is no ") {
		t.Errorf("Describe = %q, want why", Describe())
	}
}
