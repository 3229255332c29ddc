package filesystem

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type moveFileArgs struct {
	Source      string `json:"source" alias:"from" doc:"File or directory to move, relative to the workspace."`
	Destination string `json:"destination" alias:"to" doc:"Its new path, or a directory to put it into; missing directories are made."`
	Overwrite   bool   `json:"overwrite" default:"false" doc:"Replace a file that is there already."`
}

var _ = tool.Add(Set, tool.Spec[moveFileArgs, *transferResult]{
	Name:        "move_file",
	Description: "Move or rename a file or directory within the workspace, and return where it is now.",
	Tags:        []string{"file move", "rename", "mv", "folder", "relocate"},
	Example:     `{"source":"docs/readme.md","destination":"docs/guide.md"}`,
	Risk:        tool.Low,
	Mutates:     true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Errors:      []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:     30 * time.Second,
	Changes: func(ctx context.Context, call *tool.Call, args moveFileArgs) ([]tool.Change, error) {
		return replaces(ctx, call, args.plain())
	},
	Run: func(ctx context.Context, call *tool.Call, args moveFileArgs) (*transferResult, error) {
		return carry(ctx, call, args.plain())
	},
})

// plain returns the same for copy_file.
func (a moveFileArgs) plain() copyFileArgs {
	return copyFileArgs{Source: a.Source, Destination: a.Destination, Overwrite: a.Overwrite, Move: true}
}
