package toolsdoc

import (
	"bytes"
	"context"
	"encoding/json"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Programs that read such files decide whether the fixture's files are valid.
func TestFixture(t *testing.T) {
	dir := t.TempDir()
	build(t, dir)
	img, err := os.Open(filepath.Join(dir, "picture.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	if config, err := png.DecodeConfig(img); err != nil || config.Width != 320 || config.Height != 200 {
		t.Errorf("picture.png is %d by %d, %v, want 320 by 200", config.Width, config.Height, err)
	}
	for _, tt := range []struct {
		program, of string
		args        []string
		want        []string
	}{
		{"pdftotext", "poppler-utils", []string{"paper.pdf", "-"}, []string{"The first page of the paper.", "\fThe second page"}},
		{"pdfinfo", "poppler-utils", []string{"paper.pdf"}, []string{"A paper", "Ada Lovelace"}},
		{
			"ffprobe", "ffmpeg", []string{"-v", "error", "-show_entries", "format=duration:stream=sample_rate,channels", "tone.wav"},
			[]string{"sample_rate=16000", "channels=1", "duration=3.0000"},
		},
	} {
		t.Run(tt.program, func(t *testing.T) { reads(t, dir, tt.program, tt.of, tt.args, tt.want) })
	}
	t.Run("git", func(t *testing.T) {
		if _, err := exec.LookPath("git"); err != nil {
			t.Skip("git is missing, so the fixture's repository is NOT tested; install the package git")
		}
		repository(t, filepath.Join(dir, "repo"))
		settle(t, dir)
		reads(t, filepath.Join(dir, "repo"), "git", "git", []string{"status", "--porcelain=v1"}, []string{" M README.md\n?? new.txt\n"})
		reads(t, filepath.Join(dir, "repo"), "git", "git", []string{"log", "--format=%an %ad %s"}, []string{
			"Ada Lovelace Thu Jan 1 09:00:00 2026 +0000 Begin the project",
		})
	})
}

func reads(t *testing.T, dir, program, of string, args, want []string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is missing, so it does NOT test the fixture; install the package %s", program, of)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", program, err, out)
	}
	for _, w := range want {
		if !bytes.Contains(out, []byte(w)) {
			t.Errorf("%s says %q, want %q in it", program, out, w)
		}
	}
}

// erase removes a file, which can be done once in a workspace; the set's other tools
// fail in ways that a page does not show.
func erase(t *testing.T) *tool.Set {
	t.Helper()
	set := tool.NewSet("Tests", "tests")
	type args struct {
		Path string `json:"path"`
	}
	add := func(name string, needs tool.Needs, run func(ctx context.Context, call *tool.Call, a args) (string, error)) {
		tool.Add(set, tool.Spec[args, string]{
			Name:        name,
			Description: "Tests.",
			Risk:        tool.Low,
			Needs:       needs,
			Timeout:     time.Second,
			Example:     `{"path":"notes.txt"}`,
			Run:         run,
		})
	}
	add("erase", tool.NeedFiles, func(_ context.Context, call *tool.Call, a args) (string, error) {
		info, err := call.Files.Stat(a.Path)
		if err != nil {
			return "", err
		}
		return info.ModTime().UTC().Format(time.RFC3339) + info.Mode().String(), call.Files.Remove(a.Path)
	})
	add("unset", 0, func(context.Context, *tool.Call, args) (string, error) {
		return "", tool.Fail(tool.NotConfigured, "Set a key.")
	})
	add("unable", 0, func(context.Context, *tool.Call, args) (string, error) {
		return "", tool.Fail(tool.Unsupported, "Not on this machine.")
	})
	add("broken", 0, func(context.Context, *tool.Call, args) (string, error) { return "", io.ErrUnexpectedEOF })
	add("program", tool.NeedPrograms, func(ctx context.Context, call *tool.Call, _ args) (string, error) {
		_, err := call.Programs.Find("no-such-program")
		return "done without", tool.AsError(err).Cause
	})
	for name, to := range map[string]string{"way": "unset", "astray": "nothing"} {
		tool.Add(set, tool.Spec[args, any]{
			Name: name, Description: "Tests.", Risk: tool.Low, Timeout: time.Second, Example: `{"path":"notes.txt"}`,
			Delegate: func(a args) (string, json.RawMessage, error) { return to, json.RawMessage(`{"path":"x"}`), nil },
		})
	}
	return set
}

func TestWorld(t *testing.T) {
	set := erase(t)
	w := newWorld(t, []*tool.Set{set})
	for _, tl := range set.Tools() {
		first, err := w.play(t.Context(), &tl.Definition)
		second, again := w.play(t.Context(), &tl.Definition)
		if string(first.Value) != string(second.Value) || (err == nil) != (again == nil) {
			t.Errorf("%s: %s, %v and then %s, %v; want the same", tl.Name, first.Value, err, second.Value, again)
		}
		var ok bool
		switch tl.Name {
		case "erase":
			ok = string(first.Value) == `"2026-01-01T09:00:00Z-rw-r--r--"` || w.lacks != "" && first.Skipped == w.lacks
		case "unset", "way":
			ok = first.Refused && string(first.Value) == `{"error_type":"not_configured","message":"Set a key."}`
		case "unable":
			ok = first.Skipped == "Not on this machine."
		case "broken", "astray":
			ok = err != nil
		case "program":
			ok = strings.Contains(first.Skipped, "no-such-program is missing") || w.lacks != "" && first.Skipped == w.lacks
		}
		if !ok {
			t.Errorf("%s: %+v, %v", tl.Name, first, err)
		}
	}
}
