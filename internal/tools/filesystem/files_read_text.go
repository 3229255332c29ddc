package filesystem

import (
	"cmp"
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type filesReadTextArgs struct {
	Path      string  `json:"path" doc:"Text file to read, relative to the workspace."`
	Encoding  string  `json:"encoding" default:"utf-8" doc:"utf-8 or another character set by name, such as ISO-8859-1, windows-1251 or UTF-16."`
	StartLine float64 `json:"startLine,omitzero" min:"1" doc:"First line to return, counted from 1."`
	EndLine   float64 `json:"endLine,omitzero" min:"1" doc:"Last line to return, itself included; the end of the file by default."`
}

var _ = tool.Add(Set, tool.Spec[filesReadTextArgs, *readResult]{
	Name:        "files.read_text",
	Description: "Read a text file of the workspace, or the lines of it that matter, and return the text.",
	Tags:        []string{"files", "read", "text", "open", "content"},
	Example:     `{"path":"notes.txt","startLine":1,"endLine":2}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Errors:      []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge, tool.ExecutionError},
	Timeout:     10 * time.Second,
	Run:         filesReadText,
})

func filesReadText(ctx context.Context, call *tool.Call, args filesReadTextArgs) (*readResult, error) {
	args.Encoding = cmp.Or(args.Encoding, "utf-8")
	if decode, err := decoderOf(args.Encoding); err == nil && decode == nil {
		return nil, tool.Fail(tool.ValidationError, "%s is not text; name a character set, or read bytes with read_file.", args.Encoding)
	}
	return readFile(ctx, call, readArgs(args))
}
