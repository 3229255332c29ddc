package filesystem

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/helve-dev/helve/tool"
)

type copyFileArgs struct {
	Source      string `json:"source" alias:"from" doc:"File or directory to copy, relative to the workspace."`
	Destination string `json:"destination" alias:"to" doc:"Path of the copy, or a directory to put it into; missing directories are made."`
	Move        bool   `json:"move" default:"false" doc:"Move it, so that the source is gone afterwards."`
	Overwrite   bool   `json:"overwrite" default:"false" doc:"Replace files that are there already."`
}

var _ = tool.Add(Set, tool.Spec[copyFileArgs, *transferResult]{
	Name:        "copy_file",
	Description: "Copy a file or a whole directory within the workspace, or move it there, and return where it is now.",
	Tags:        []string{"file copy", "duplicate", "move", "cp", "backup", "folder"},
	Example:     `{"source":"notes.txt","destination":"docs/notes-copy.txt"}`,
	Risk:        tool.Low,
	Mutates:     true,
	// Copying twice with overwrite has the same effect as copying once.
	Repeats: func(a copyFileArgs) bool { return a.Overwrite && !a.Move },
	Scopes:  tool.Scopes{Paths: []string{"workspace"}},
	Needs:   tool.NeedFiles,
	Errors:  []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge, tool.ExecutionError},
	Timeout: 2 * time.Minute,
	Changes: replaces,
	Run:     carry,
})

// replaces returns the file whose place the source takes.
func replaces(_ context.Context, call *tool.Call, args copyFileArgs) ([]tool.Change, error) {
	t, err := transferOf(call.Files, args.Source, args.Destination, args.Overwrite)
	if err != nil || t.directory {
		return nil, err
	}
	info, err := call.Files.Stat(t.from)
	if err != nil || info.Size() > maxCompared {
		return tool.Replaces(t.to), err
	}
	f, err := call.Files.Open(t.from)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxCompared))
	return []tool.Change{{Path: t.to, New: data}}, errors.Join(err, f.Close())
}

// maxCompared is the size of the largest file that a person sees beside the file in whose place it comes,
// in bytes.
const maxCompared = 1 << 20

// carry copies or moves.
func carry(ctx context.Context, call *tool.Call, args copyFileArgs) (*transferResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, err := transferOf(call.Files, args.Source, args.Destination, args.Overwrite)
	if err != nil {
		return nil, err
	}
	res := &transferResult{Success: true, Source: args.Source, Destination: t.to, Action: actionMoved}
	if args.Move {
		err = t.move()
	} else {
		res.Action = actionCopied
		res.Files, res.Size, err = t.copy(ctx)
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}
