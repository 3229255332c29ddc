package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/test/testmutate"
	"github.com/helve-dev/helve/tool"
)

// walked returns the format of an archive, and its entries as lines of type, path and problem.
func walked(ctx context.Context, data []byte, name string) (format string, lines []string, err error) {
	format, err = Walk(ctx, bytes.NewReader(data), int64(len(data)), name, func(e Entry, open func() (io.ReadCloser, error)) error {
		line := e.Type + " " + e.Path + e.Problem
		if e.Type == File && e.Problem == "" {
			f, err := open()
			if err != nil {
				return err
			}
			text, err := io.ReadAll(io.LimitReader(f, 1<<20))
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
			line += " " + string(text)
		}
		lines = append(lines, line)
		return nil
	})
	return format, lines, err
}

func unhexed(tb testing.TB, text string) []byte {
	tb.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func TestFormats(t *testing.T) {
	tarred := tarOf(t, &tar.Header{Name: "d/", Typeflag: tar.TypeDir, Mode: 0o755}, &tar.Header{
		Name:     "d/a",
		Typeflag: tar.TypeReg,
		Mode:     0o600,
	})
	for _, tt := range []struct {
		format, name string
		data         []byte
		want         []string
	}{
		{"zip", "x.tar", zipOf(t, "d/", "d/a"), []string{"directory d", "file d/a d/a"}},
		{"tar", "x", tarred, []string{"directory d", "file d/a d/a"}},
		{"tar.gz", "x.zip", gzipOf(t, tarred), []string{"directory d", "file d/a d/a"}},
		{"gz", "dir/notes.txt.gz", gzipOf(t, []byte("hello")), []string{"file notes.txt hello"}},
		{"gz", "notes", gzipOf(t, []byte("hello")), []string{"file notes.unpacked hello"}},
		{
			"bz2", "a.bz2", unhexed(t, "425a68393141592653594eece83600000251800010400006449080200031064c4101a7a9a580bb9431f8bb9229c28482776741b0"),
			[]string{"file a hello world\n"},
		},
		{"zip", "empty.zip", zipOf(t), nil},
	} {
		format, lines, err := walked(t.Context(), tt.data, tt.name)
		if diff := cmp.Diff(tt.want, lines); err != nil || format != tt.format || diff != "" {
			t.Errorf("%s: %s, %v (-want +got):\n%s", tt.name, format, err, diff)
		}
	}
}

// TestHostileNames: no name leads out, deceives a reader, or is taken for another one.
func TestHostileNames(t *testing.T) {
	for name, want := range map[string]string{
		"../x": "leads out", "a/../../x": "leads out", `..\x`: "leads out", "a/..": "leads out", "/etc/passwd": "absolute", `C:\x`: "absolute",
		"C:x":          "absolute",
		`\\host\share`: "absolute", "a\nb": "control", "a\u202egpj.exe": "control", "a\x00b": "control", "a\u200b": "control",
		strings.Repeat("a", 256): "too long", strings.Repeat("a/", 60) + "b": "too long",
		"a/b": "", `a\b`: "", "./a": "", "a//b": "", "...": "", "ä": "",
	} {
		_, lines, err := walked(t.Context(), zipOf(t, name), "x.zip")
		if err != nil || len(lines) != 1 || want != "" && !strings.Contains(lines[0], want) ||
			want == "" && strings.Contains(lines[0], "its name") {
			t.Errorf("%q: %q, %v, want %q", name, lines, err, want)
		}
	}
	tarred := tarOf(t,
		&tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, &tar.Header{Name: "h", Typeflag: tar.TypeLink, Linkname: "l"},
		&tar.Header{Name: "dev", Typeflag: tar.TypeChar}, &tar.Header{Name: "pipe", Typeflag: tar.TypeFifo},
		&tar.Header{Name: "../x", Typeflag: tar.TypeReg})
	_, lines, err := walked(t.Context(), tarred, "x.tar")
	want := []string{
		"symlink it is a link", "symlink it is a link", "other it is neither a file nor a directory",
		"other it is neither a file nor a directory", "file its name leads out of the directory",
	}
	if diff := cmp.Diff(want, lines); err != nil || diff != "" {
		t.Errorf("tar: %v (-want +got):\n%s", err, diff)
	}
}

// TestRefused: what is no archive, is damaged or too large fails with a reason.
func TestRefused(t *testing.T) {
	many := bytes.Repeat([]byte("PK\x01\x02"), MaxEntries+1)
	whole := zipOf(t, "a", "b")
	for _, tt := range []struct {
		name string
		data []byte
		kind tool.Kind
		want string
	}{
		{"text", []byte("hello"), tool.Unsupported, "no archive"},
		{"nothing", nil, tool.Unsupported, "no archive"},
		{"7z", []byte("7z\xbc\xaf\x27\x1c\x00"), tool.Unsupported, "7z"},
		{"cut zip", whole[:len(whole)-30], tool.ValidationError, "damaged"},
		{"cut tar.gz", gzipOf(t, tarOf(t, &tar.Header{Name: "a", Typeflag: tar.TypeReg}))[:60], tool.ValidationError, "damaged"},
		{"cut gz", []byte("\x1f\x8b\x08"), tool.ValidationError, "damaged"},
		{"entries of zip", append([]byte("PK\x03\x04"), many...), tool.FileTooLarge, "entries"},
	} {
		_, _, err := walked(t.Context(), tt.data, "x")
		if e := tool.AsError(err); e == nil || e.Kind != tt.kind || !strings.Contains(e.Msg, tt.want) {
			t.Errorf("%s: %v, want %s with %q", tt.name, err, tt.kind, tt.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := walked(ended, whole, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the call: %v", err)
	}
	visited := 0
	_, err := Walk(t.Context(), bytes.NewReader(whole), int64(len(whole)), "x", func(Entry, func() (io.ReadCloser, error)) error {
		visited++
		return fs.SkipAll
	})
	if err != nil || visited != 1 {
		t.Errorf("SkipAll: %d visited, %v", visited, err)
	}
}

// TestManyEntries: an archive of 100,000 entries is listed.
func TestManyEntries(t *testing.T) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("f%d", i)
	}
	data, n := zipOf(t, names...), 0
	_, err := Walk(t.Context(), bytes.NewReader(data), int64(len(data)), "x", func(Entry, func() (io.ReadCloser, error)) error {
		n++
		return nil
	})
	if err != nil || n != len(names) {
		t.Errorf("%d entries, %v", n, err)
	}
}

func TestMutated(t *testing.T) {
	tarred := tarOf(t, &tar.Header{Name: "d/", Typeflag: tar.TypeDir}, &tar.Header{Name: "d/a", Typeflag: tar.TypeReg}, &tar.Header{
		Name:     "l",
		Typeflag: tar.TypeSymlink,
		Linkname: "d",
	})
	for _, seeds := range [][][]byte{{zipOf(t, "a/b", "c", "d/")}, {tarred}, {gzipOf(t, tarred), gzipOf(t, []byte("hello"))}} {
		testmutate.Each(t, 200, seeds, func(data []byte) {
			_, lines, _ := walked(t.Context(), data, "x")
			for _, line := range lines {
				if strings.Contains(line, " /") && strings.HasPrefix(line, "file /") ||
					strings.Contains(line, " ../") && strings.HasPrefix(line, "file ../") {
					t.Errorf("an entry leads out: %q", line)
				}
			}
		})
	}
}
