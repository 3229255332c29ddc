package workspace

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestLocal(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt": "a.txt", "./a": "a", "a//b/": "a/b", "a/../b": "b", ".": ".", "..a": "..a", "a:b": "a:b", "1:/x": "1:/x",
		"ünï/файл": "ünï/файл", "a/.helve": "a/.helve", "x.helve-tmp-y": "x.helve-tmp-y",
		strings.Repeat("a/", maxLevels): strings.Repeat("a/", maxLevels-1) + "a",
	} {
		if got, err := local(name); err != nil || got != want {
			t.Errorf("local(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]tool.Kind{
		"":                                    tool.ValidationError,
		strings.Repeat("x", 10_000):           tool.ValidationError,
		strings.Repeat("a/", 2_000):           tool.ValidationError,
		strings.Repeat("a/", maxLevels) + "b": tool.ValidationError,
		strings.Repeat("a/", 5_000):           tool.ValidationError,
		"/":                                   tool.PathNotAllowed,
		"/etc/passwd":                         tool.PathNotAllowed,
		"a/../../x":                           tool.PathNotAllowed,
		"a/../..":                             tool.PathNotAllowed,
		`C:\x`:                                tool.PathNotAllowed,
		"c:/x":                                tool.PathNotAllowed,
		`\\server\share`:                      tool.PathNotAllowed,
		`a\..\..\x`:                           tool.PathNotAllowed,
		"a\x00b":                              tool.ValidationError,
		tempPrefix + "x":                      tool.PathNotAllowed,
		"a/" + tempPrefix + "x/b":             tool.PathNotAllowed,
		`a\b`:                                 tool.ValidationError,
		"../" + strings.Repeat("x", 9):        tool.PathNotAllowed,
	} {
		_, err := local(name)
		wantKind(t, "local("+name[:min(len(name), 40)]+")", err, want)
	}
}

func TestLongNames(t *testing.T) {
	files, _ := open(t)
	long := strings.Repeat("n", 256)
	_, err := files.Open(long)
	wantKind(t, "Open of a name of 256 bytes", err, tool.ValidationError)
	_, err = files.Write(long, strings.NewReader("x"))
	wantKind(t, "Write to a name of 256 bytes", err, tool.ValidationError)
	write(t, files, long[:255], "fits")
	wantText(t, files, long[:255], "fits")
	for _, name := range []string{strings.Repeat("x", 10_000), strings.Repeat("a/", 5_000)} {
		_, err := files.Open(name)
		wantKind(t, "Open of 10,000 bytes", err, tool.ValidationError)
		if msg := tool.AsError(err).Msg; len(msg) > 200 {
			t.Errorf("the message repeats the path: %d bytes", len(msg))
		}
	}
}

// TestLevels: no directory is deeper than a path may be, also if it is moved there.
func TestLevels(t *testing.T) {
	files, _ := open(t)
	half := strings.Repeat("a/", maxLevels/2)
	if err := files.MkdirAll(half); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "MkdirAll of 2,000 levels", files.MkdirAll(strings.Repeat("d/", 2000)), tool.ValidationError)
	_, err := files.Write(strings.Repeat("d/", maxLevels)+"f", strings.NewReader("x"))
	wantKind(t, "Write below too many levels", err, tool.ValidationError)
	if err := files.MkdirAll("b/c"); err != nil {
		t.Fatal(err)
	}
	write(t, files, "b/c/f", "x")
	at := half + strings.Repeat("m/", maxLevels/2-3)
	if err := files.MkdirAll(at); err != nil {
		t.Fatal(err)
	}
	for _, move := range []func(from, to string) error{files.Move, files.Rename} {
		wantKind(t, "a move that is too deep", move("b", at+"n/b"), tool.ValidationError)
		if err := move("b", at+"b"); err != nil {
			t.Errorf("a move that fits: %v", err)
		}
		if err := move(at+"b", "b"); err != nil {
			t.Fatal(err)
		}
	}
}
