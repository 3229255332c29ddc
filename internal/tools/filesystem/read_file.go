package filesystem

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/tool"
)

// maxRead is the size of the largest file that is returned whole, and the maximum text
// returned of a larger one, in bytes.
const maxRead = 1 << 20

type readArgs struct {
	Path      string  `json:"path" doc:"File to read, relative to the workspace."`
	Encoding  string  `json:"encoding" default:"utf-8" doc:"utf-8, ascii or another character set by name (ISO-8859-1, windows-1251, UTF-16, ...) for text; base64 or binary for the raw bytes in base64."`
	StartLine float64 `json:"startLine,omitzero" min:"1" doc:"First line to return, counted from 1."`
	EndLine   float64 `json:"endLine,omitzero" min:"1" doc:"Last line to return, itself included; the end of the file by default."`
}

// part holds the first and the last requested line; 0 means not set.
func (a *readArgs) part() (start, end int) { return calc.ToInt(a.StartLine), calc.ToInt(a.EndLine) }

type readResult struct {
	Path    string `json:"path"`
	Size    int64  `json:"size" doc:"Size of the file in bytes."`
	Content string `json:"content"`
	Lines   *lines `json:"lines,omitempty" doc:"What part content is, if a part was asked for."`
}

// lines describes the returned lines. End is below Start if there are none.
type lines struct {
	Start int `json:"start"`
	End   int `json:"end"`
	Total int `json:"total"`
}

// Present shows only the contents.
func (r *readResult) Present(res *tool.Result) { res.Text = r.Content }

var _ = tool.Add(Set, tool.Spec[readArgs, *readResult]{
	Name:        "read_file",
	Description: "Read a text file of the workspace, whole or from startLine to endLine, or a binary one as base64, and return its contents.",
	Tags:        []string{"file read", "open", "content", "view", "cat", "show", "lines"},
	Example:     `{"path":"notes.txt"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Errors:      []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge, tool.ExecutionError},
	Timeout:     10 * time.Second,
	Run:         readFile,
})

func readFile(ctx context.Context, call *tool.Call, args readArgs) (*readResult, error) {
	decode, err := decoderOf(args.Encoding)
	start, end := args.part()
	ranged := start != 0 || end != 0
	switch {
	case err != nil:
		return nil, err
	case decode == nil && ranged:
		return nil, tool.Fail(tool.ValidationError, "Only text has lines: leave out startLine and endLine, or choose another encoding than %s.",
			args.Encoding)
	case end != 0 && end < start:
		return nil, tool.Fail(tool.ValidationError, "endLine %d is before startLine %d.", end, start)
	}
	f, err := call.Files.Open(args.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	res := &readResult{Path: args.Path, Size: info.Size()}
	in := &interruptible{ctx: ctx, r: f}
	if ranged {
		res.Content, res.Lines, err = readLines(decode(in), start, end)
	} else {
		res.Content, err = readWhole(in, info.Size(), decode)
	}
	if errors.Is(err, errNotText) {
		return nil, tool.Fail(tool.ValidationError,
			"%s is a binary file or not %s text: read it with encoding base64, or name its character set.", args.Path, args.Encoding)
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// readWhole returns all of in as text, or as base64 without a decoder.
func readWhole(in io.Reader, size int64, decode decoder) (string, error) {
	if size > maxRead {
		return "", tooLarge(size)
	}
	// The file may have grown since; reading one byte more detects this.
	raw, err := io.ReadAll(io.LimitReader(in, maxRead+1))
	switch {
	case err != nil:
		return "", err
	case len(raw) > maxRead:
		return "", tooLarge(int64(len(raw)))
	case decode == nil:
		return base64.StdEncoding.EncodeToString(raw), nil
	}
	text, err := io.ReadAll(decode(bytes.NewReader(raw)))
	return string(text), err
}

func tooLarge(size int64) error {
	return tool.Fail(tool.FileTooLarge,
		"File is too large (%d bytes). Maximum supported size is %d bytes (1MB). Use startLine and endLine to read a part of it.", size, maxRead)
}

// interruptible ends a long read when the call ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}
