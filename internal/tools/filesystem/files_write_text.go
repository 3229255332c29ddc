package filesystem

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type filesWriteTextArgs struct {
	Path     string `json:"path" doc:"Text file to write, relative to the workspace; missing directories are made."`
	Content  string `json:"content" alias:"text" doc:"Text to write."`
	Mode     string `json:"mode" enum:"overwrite,append" default:"overwrite" doc:"overwrite replaces the file, append adds to its end."`
	Encoding string `json:"encoding" default:"utf-8" doc:"How the text is stored: utf-8 or another character set by name."`
}

var _ = tool.Add(Set, tool.Spec[filesWriteTextArgs, *writeResult]{
	Name:        "files.write_text",
	Description: "Save text as a file of the workspace, or add it to the end of one, and return the file's path and size.",
	Tags:        []string{"files", "write", "text", "save", "append"},
	Example:     `{"path":"drafts/list.txt","content":"milk\nbread\n"}`,
	Risk:        tool.Low,
	Mutates:     true,
	Repeats:     func(a filesWriteTextArgs) bool { return a.Mode != modeAppend },
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Errors:      []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:     10 * time.Second,
	Changes: func(ctx context.Context, call *tool.Call, args filesWriteTextArgs) ([]tool.Change, error) {
		return writes(ctx, call, args.plain())
	},
	Run: filesWriteText,
})

// plain returns the same for write_file.
func (a filesWriteTextArgs) plain() writeArgs {
	return writeArgs{Path: a.Path, Content: a.Content, Mode: a.Mode, Encoding: a.Encoding, CreateDirs: true}
}

func filesWriteText(ctx context.Context, call *tool.Call, args filesWriteTextArgs) (*writeResult, error) {
	switch strings.ToLower(args.Encoding) {
	case "base64", "binary":
		return nil, tool.Fail(tool.ValidationError, "%s is not text; name a character set, or write bytes with write_file.", args.Encoding)
	}
	return writeFile(ctx, call, args.plain())
}
