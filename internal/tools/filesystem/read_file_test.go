package filesystem

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestReadFile(t *testing.T) {
	files := disk(t, map[string]string{
		"notes.txt": "hello\nworld\n", "empty": "", "data.bin": "\x7fELF\x00\x01", "latin1": "caf\xe9",
		"full": strings.Repeat("x", maxRead), "large": strings.Repeat("x", maxRead+1), "tëxt ж.md": "ok",
	})
	if err := files.MkdirAll("dir"); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "read_file", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "text", Args: `{"path":"notes.txt"}`,
			Want: `{"path":"notes.txt","size":12,"content":"hello\nworld\n"}`, WantText: "hello\nworld\n",
		},
		{Name: "unicode name", Args: `{"path":"./tëxt ж.md"}`, Want: `{"path":"./tëxt ж.md","size":2,"content":"ok"}`},
		{Name: "empty", Args: `{"path":"empty"}`, Want: `{"path":"empty","size":0,"content":""}`},
		{
			Name: "base64", Args: `{"path":"data.bin","encoding":"base64"}`, Want: `{"path":"data.bin","size":6,"content":"f0VMRgAB"}`,
			WantText: "f0VMRgAB",
		},
		{Name: "binary", Args: `{"path":"data.bin","encoding":"Binary"}`, Want: `{"path":"data.bin","size":6,"content":"f0VMRgAB"}`},
		{Name: "full", Args: `{"path":"full"}`, WantText: strings.Repeat("x", maxRead)},
		{
			Name: "too large", Args: `{"path":"large"}`, Fails: tool.FileTooLarge,
			Message: "File is too large (1048577 bytes). Maximum supported size is 1048576 bytes (1MB).",
		},
		{Name: "too large as base64", Args: `{"path":"large","encoding":"base64"}`, Fails: tool.FileTooLarge},
		{Name: "binary as text", Args: `{"path":"data.bin"}`, Fails: tool.ValidationError, Message: "encoding base64"},
		{Name: "other text", Args: `{"path":"latin1"}`, Fails: tool.ValidationError, Message: "not utf-8 text"},
		{Name: "its encoding", Args: `{"path":"latin1","encoding":"ISO-8859-1"}`, WantText: "café"},
		{
			Name: "unknown encoding", Args: `{"path":"notes.txt","encoding":"klingon"}`, Fails: tool.ValidationError,
			Message: "Unsupported encoding: 'klingon'",
		},
		{
			Name: "lines of binary", Args: `{"path":"data.bin","encoding":"base64","startLine":1}`, Fails: tool.ValidationError,
			Message: "Only text has lines",
		},
		{Name: "missing", Args: `{"path":"no/such.txt"}`, Fails: tool.FileNotFound, Message: "File not found: no/such.txt"},
		{Name: "directory", Args: `{"path":"dir"}`, Fails: tool.ValidationError, Message: "Path is a directory, not a file: dir"},
		{
			Name: "outside", Args: `{"path":"../../etc/passwd"}`, Fails: tool.PathNotAllowed,
			Message: "Access denied: path is outside the workspace",
		},
		{
			Name: "absolute", Args: `{"path":"/data/data/x.db"}`, Fails: tool.PathNotAllowed,
			Message: "Access denied: path is outside the workspace",
		},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
		{Name: "path of a wrong type", Args: `{"path":7}`, Fails: tool.ValidationError, Message: "path: expected string"},
		{Name: "empty path", Args: `{"path":""}`, Fails: tool.ValidationError},
	})
}

func TestReadFileLines(t *testing.T) {
	files := disk(t, map[string]string{
		"five": "1\n2\n3\n4\n5\n", "open": "a\nb", "crlf": "a\r\nb\r\nc\r\n", "empty": "", "utf16": "\xff\xfea\x00\n\x00b\x00",
		"large": strings.Repeat(strings.Repeat("x", 99)+"\n", 50_000), "wide": "first\n" + strings.Repeat("y", 2<<20) + "\nlast",
	})
	tooltest.Run(t, Set, "read_file", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "middle", Args: `{"path":"five","startLine":2,"endLine":3}`,
			Want: `{"path":"five","size":10,"content":"2\n3","lines":{"start":2,"end":3,"total":5}}`, WantText: "2\n3",
		},
		{Name: "whole numbers", Args: `{"path":"five","startLine":2.0,"endLine":2e0}`, WantText: "2"},
		{Name: "fractions", Args: `{"path":"five","startLine":2.9,"endLine":2.1}`, WantText: "2"},
		{
			Name: "from", Args: `{"path":"five","startLine":4}`,
			Want: `{"path":"five","size":10,"content":"4\n5","lines":{"start":4,"end":5,"total":5}}`,
		},
		{Name: "to", Args: `{"path":"five","endLine":1}`, Want: `{"path":"five","size":10,"content":"1","lines":{"start":1,"end":1,"total":5}}`},
		{
			Name: "past the end", Args: `{"path":"open","startLine":2,"endLine":99}`,
			Want: `{"path":"open","size":3,"content":"b","lines":{"start":2,"end":2,"total":2}}`,
		},
		{Name: "line ends", Args: `{"path":"crlf","startLine":1,"endLine":2}`, WantText: "a\r\nb"},
		{
			Name: "of nothing", Args: `{"path":"empty","startLine":1}`,
			Want: `{"path":"empty","size":0,"content":"","lines":{"start":1,"end":0,"total":0}}`,
		},
		{Name: "decoded", Args: `{"path":"utf16","startLine":2}`, WantText: "b"},
		{
			Name: "of a large file", Args: `{"path":"large","startLine":49999,"endLine":50000}`,
			WantText: strings.Repeat("x", 99) + "\n" + strings.Repeat("x", 99),
		},
		{Name: "too many", Args: `{"path":"large","startLine":2}`, Fails: tool.FileTooLarge, Message: "ask for fewer"},
		{Name: "after a wide one", Args: `{"path":"wide","startLine":3}`, WantText: "last"},
		{Name: "a wide one", Args: `{"path":"wide","startLine":2,"endLine":2}`, Fails: tool.FileTooLarge},
		{
			Name: "behind the end", Args: `{"path":"five","startLine":6}`, Fails: tool.ValidationError,
			Message: "startLine 6 is past the end: the file has 5 lines",
		},
		{
			Name: "turned round", Args: `{"path":"five","startLine":3,"endLine":2}`, Fails: tool.ValidationError,
			Message: "endLine 2 is before startLine 3",
		},
		{Name: "line 0", Args: `{"path":"five","startLine":0}`, Fails: tool.ValidationError, Message: "startLine"},
		{Name: "half a line", Args: `{"path":"five","startLine":0.5}`, Fails: tool.ValidationError, Message: "startLine"},
		{Name: "beyond integers", Args: `{"path":"five","startLine":1e300}`, Fails: tool.ValidationError},
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// The size at opening is not trusted.
func TestReadWhole(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   io.Reader
		size int64
		want string // in the message
	}{
		{"grown", endless{}, 3, "(1048577 bytes)"},
		{"large", strings.NewReader(""), 5 << 20, "(5242880 bytes)"},
	} {
		_, err := readWhole(tt.in, tt.size, decodeUTF8)
		if failure := tool.AsError(err); failure == nil || failure.Kind != tool.FileTooLarge || !strings.Contains(failure.Msg, tt.want) {
			t.Errorf("%s: error %v, want %s with %s", tt.name, err, tool.FileTooLarge, tt.want)
		}
	}
}

// A read ends with its call, also in the middle of a large file.
func TestReadFileCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := readFile(ctx, &tool.Call{Files: disk(t, map[string]string{"f": "text"})}, readArgs{Path: "f", Encoding: "utf-8"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("readFile in a cancelled call: error %v, want %v", err, context.Canceled)
	}
}
