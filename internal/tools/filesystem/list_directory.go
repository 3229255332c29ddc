package filesystem

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type listDirectoryArgs struct {
	Path string `json:"path" doc:"Directory to list, relative to the workspace; . is the workspace itself."`
	listArgs
}

type listDirectoryResult struct {
	Path    string `json:"path"`
	Entries []item `json:"entries"`
	listed
}

var _ = tool.Add(Set, tool.Spec[listDirectoryArgs, *listDirectoryResult]{
	Name: "list_directory",
	Description: "List the files and folders of a workspace directory, on request with all below it or only those that match a pattern, " +
		"and return name, path, type, size and time of change of each.",
	Tags:       []string{"folder", "directory", "ls", "list", "files", "dir", "tree"},
	Example:    `{"path":".","recursive":true,"pattern":"*.md"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles,
	Limit:      listLimit(),
	Errors:     []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:    30 * time.Second,
	Run: func(ctx context.Context, call *tool.Call, args listDirectoryArgs) (*listDirectoryResult, error) {
		items, sum, err := list(ctx, call, args.Path, &args.listArgs)
		if err != nil {
			return nil, err
		}
		return &listDirectoryResult{args.Path, items, sum}, nil
	},
})
