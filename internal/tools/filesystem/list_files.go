package filesystem

import (
	"cmp"
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type listFilesArgs struct {
	Path string `json:"path" default:"." doc:"Folder to list, relative to the workspace; the workspace itself by default."`
	listArgs
}

type listFilesResult struct {
	Path  string `json:"path"`
	Files []item `json:"files" doc:"Files and folders, told apart by type."`
	listed
}

var _ = tool.Add(Set, tool.Spec[listFilesArgs, *listFilesResult]{
	Name: "list_files",
	Description: "Show which files and folders the workspace, or one folder of it, holds, and return name, path, type, size and time of " +
		"change of each.",
	Tags:       []string{"files", "list", "folder", "ls", "workspace"},
	Example:    `{"path":"docs"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles,
	Limit:      listLimit(),
	Errors:     []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:    30 * time.Second,
	Run: func(ctx context.Context, call *tool.Call, args listFilesArgs) (*listFilesResult, error) {
		args.Path = cmp.Or(args.Path, ".")
		items, sum, err := list(ctx, call, args.Path, &args.listArgs)
		if err != nil {
			return nil, err
		}
		return &listFilesResult{args.Path, items, sum}, nil
	},
})
