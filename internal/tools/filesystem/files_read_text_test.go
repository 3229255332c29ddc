package filesystem

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestFilesReadText(t *testing.T) {
	files := disk(t, map[string]string{
		"crlf":   "\ufeffone\r\ntwo\r\n",
		"latin1": "caf\xe9",
		"utf16":  "\xff\xfeh\x00i\x00",
		"bin":    "a\x00b",
		"large":  strings.Repeat("x", maxRead+1),
	})
	tooltest.Run(t, Set, "files.read_text", tool.Call{Files: files}, []tooltest.Case{
		{Name: "whole", Args: `{"path":"crlf"}`, Want: `{"path":"crlf","size":13,"content":"one\r\ntwo\r\n"}`, WantText: "one\r\ntwo\r\n"},
		{
			Name:     "lines",
			Args:     `{"path":"crlf","startLine":2,"endLine":5}`,
			Want:     `{"path":"crlf","size":13,"content":"two","lines":{"start":2,"end":2,"total":2}}`,
			WantText: "two",
		},
		{Name: "character set", Args: `{"path":"latin1","encoding":"ISO-8859-1"}`, WantText: "café"},
		{Name: "UTF-16", Args: `{"path":"utf16"}`, WantText: "hi"},
		{Name: "bytes", Args: `{"path":"bin","encoding":"Base64"}`, Fails: tool.ValidationError, Message: "Base64 is not text"},
		{Name: "binary", Args: `{"path":"bin"}`, Fails: tool.ValidationError, Message: "binary"},
		{Name: "unknown encoding", Args: `{"path":"bin","encoding":"klingon"}`, Fails: tool.ValidationError, Message: "Unsupported encoding"},
		{Name: "too large", Args: `{"path":"large"}`, Fails: tool.FileTooLarge},
		{Name: "missing", Args: `{"path":"no"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"path":"~/../../x"}`, Fails: tool.PathNotAllowed},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError},
	})
	wantDead(t, "files.read_text", `{"path":"a"}`)
	wantDead(t, "read_file", `{"path":"a"}`)
}
