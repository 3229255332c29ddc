package filesystem

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	modeOverwrite = "overwrite"
	modeAppend    = "append"
)

type writeArgs struct {
	Path       string `json:"path" doc:"File to write, relative to the workspace."`
	Content    string `json:"content" alias:"text" doc:"Text to write."`
	Mode       string `json:"mode" enum:"overwrite,append" default:"overwrite" doc:"overwrite replaces the file, append adds to its end."`
	Append     bool   `json:"append,omitzero" doc:"true is another way to say mode append."`
	CreateDirs bool   `json:"createDirs" default:"true" doc:"Make missing parent directories."`
	Encoding   string `json:"encoding" default:"utf-8" doc:"How the text is stored: utf-8, ascii or another character set by name; base64 or binary to write the bytes that content holds in base64."`
}

func (a *writeArgs) mode() string {
	if a.Append || a.Mode == modeAppend {
		return modeAppend
	}
	return modeOverwrite
}

type writeResult struct {
	Success bool   `json:"success"`
	Path    string `json:"path"`
	Size    int64  `json:"size" doc:"Size of the file afterwards, in bytes."`
	Action  string `json:"action" enum:"written,appended"`

	text string
}

// Present shows the number of bytes written, and the mode.
func (r *writeResult) Present(res *tool.Result) { res.Text = r.text }

var _ = tool.Add(Set, tool.Spec[writeArgs, *writeResult]{
	Name:        "write_file",
	Description: "Write text to a file of the workspace, replacing the file or adding to its end, and return the file's path and size.",
	Tags:        []string{"file write", "save", "create file", "new file", "append", "edit"},
	Example:     `{"path":"drafts/plan.md","content":"# Plan\n"}`,
	Risk:        tool.Low,
	Mutates:     true,
	// Overwriting twice has the same effect as overwriting once; appending has not.
	Repeats: func(a writeArgs) bool { return a.mode() == modeOverwrite },
	Scopes:  tool.Scopes{Paths: []string{"workspace"}},
	Needs:   tool.NeedFiles,
	Errors:  []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout: 10 * time.Second,
	Changes: writes,
	Run:     writeFile,
})

// writes returns what the file will hold.
func writes(_ context.Context, call *tool.Call, args writeArgs) ([]tool.Change, error) {
	data, err := args.bytes(call.Files)
	if err != nil {
		return nil, err
	}
	return []tool.Change{{Path: args.Path, New: data, Appends: args.mode() == modeAppend}}, nil
}

func writeFile(ctx context.Context, call *tool.Call, args writeArgs) (*writeResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := args.bytes(call.Files)
	if err != nil {
		return nil, err
	}
	put := func() error { return put(call.Files, &args, data) }
	if args.CreateDirs {
		err = inDirectory(call.Files, args.Path, put)
	} else if err = put(); missing(err) {
		return nil, tool.Fail(tool.FileNotFound, "Directory not found: %s; set createDirs to make it.", path.Dir(args.Path)).Because(err)
	}
	if err != nil {
		return nil, err
	}
	res := &writeResult{
		Success: true, Path: args.Path, Size: int64(len(data)), Action: "written",
		text: fmt.Sprintf("Successfully wrote %d bytes to %s (mode: %s)", len(data), args.Path, args.mode()),
	}
	if args.mode() == modeAppend {
		res.Action = "appended"
		// The bytes are written; an unknown total is not a failure.
		if info, err := call.Files.Stat(args.Path); err == nil {
			res.Size = info.Size()
		}
	}
	return res, nil
}

// bytes returns the bytes to write.
func (a *writeArgs) bytes(files tool.Files) ([]byte, error) {
	if a.mode() == modeAppend {
		return appended(files, a.Path, a.Content, a.Encoding)
	}
	return encode(a.Content, a.Encoding)
}

func put(files tool.Files, args *writeArgs, data []byte) error {
	if args.mode() == modeAppend {
		return files.Append(args.Path, data)
	}
	_, err := files.Write(args.Path, bytes.NewReader(data))
	return err
}

func missing(err error) bool { return err != nil && tool.AsError(err).Kind == tool.FileNotFound }
