package archtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// brokenDocs requires exactly one package comment in each directory. Comments in test
// files do not count, because the documentation does not show them.
func brokenDocs(all []source) []string {
	docs := map[string][]string{}
	var broken []string
	for _, s := range all {
		if _, known := docs[s.Dir]; !known {
			docs[s.Dir] = nil
		}
		if s.Test || s.Generated || s.File.Doc == nil {
			continue
		}
		docs[s.Dir] = append(docs[s.Dir], s.Path)
		begins := "Package " + s.File.Name.Name + " "
		if s.File.Name.Name != "main" && !strings.HasPrefix(s.File.Doc.Text(), begins) {
			broken = append(broken, fmt.Sprintf("%s: the package comment must begin with %q", s.Path, begins))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(docs)) {
		switch files := docs[dir]; len(files) {
		case 0:
			broken = append(broken,
				dir+" has no package comment: say what it is for, what it promises and what it does not; a package of tests says it in doc.go")
		case 1:
		default:
			broken = append(broken,
				fmt.Sprintf("%s has %d package comments, in %v: keep one, go doc joins them in file order", dir, len(files), files))
		}
	}
	return broken
}

// vague lists names that do not describe the contents of a package, so that anything
// could be put into it.
var vague = []string{"common", "helper", "helpers", "misc", "model", "models", "type", "types", "util", "utils"}

func brokenNames(all []source) []string {
	dirs := map[string]bool{}
	for _, s := range all {
		dirs[s.Dir] = true
	}
	var broken []string
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		for part := range strings.SplitSeq(dir, "/") {
			if slices.Contains(vague, part) {
				broken = append(broken, fmt.Sprintf("%s: %q says nothing; name the directory after what it does", dir, part))
			}
		}
	}
	return broken
}

func TestDocs(t *testing.T) {
	all := sources(t)
	report(t, brokenDocs(all))
	report(t, brokenNames(all))
}

func TestBrokenDocs(t *testing.T) {
	const bare, good = "package a\n", "// Package a does it.\npackage a\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  int
	}{
		{"one", map[string]string{"a/a.go": good, "a/b.go": bare}, 0},
		{"none", map[string]string{"a/a.go": bare}, 1},
		{"two", map[string]string{"a/a.go": good, "a/b.go": good}, 1},
		{"only in a test", map[string]string{"a/a.go": bare, "a/a_test.go": good}, 1},
		{"tests only", map[string]string{"a/a_test.go": bare}, 1},
		{"a command", map[string]string{"a/main.go": "// Command a does it.\npackage main\n"}, 0},
		{"a wrong beginning", map[string]string{"a/a.go": "// Does it.\npackage a\n"}, 1},
		{"a build tag is none", map[string]string{"a/a.go": "//go:build linux\n\n" + bare}, 1},
	} {
		var all []source
		for name, text := range tt.files {
			all = append(all, parse(t, name, text))
		}
		if got := brokenDocs(all); len(got) != tt.want {
			t.Errorf("%s: brokenDocs = %q, want %d findings", tt.name, got, tt.want)
		}
	}
}

func TestBrokenNames(t *testing.T) {
	for file, want := range map[string]int{
		"internal/bus/queue/x.go":      0,
		"internal/queueutil/x.go":      0,
		"internal/bus/queue/util/x.go": 1,
		"internal/helpers/path/x.go":   1,
	} {
		if got := brokenNames([]source{parse(t, file, "package x\n")}); len(got) != want {
			t.Errorf("brokenNames(%s) = %q, want %d findings", file, got, want)
		}
	}
}
