package filesystem

import (
	"cmp"
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type filesListDirArgs struct {
	Path string `json:"path" default:"." doc:"Directory to list, relative to the workspace; the workspace itself by default."`
	listArgs
}

type filesListDirResult struct {
	Path    string `json:"path"`
	Entries []item `json:"entries"`
	listed
}

var _ = tool.Add(Set, tool.Spec[filesListDirArgs, *filesListDirResult]{
	Name:        "files.list_dir",
	Description: "List a directory of the workspace to see what is there, and return its entries with type, size and time of change.",
	Tags:        []string{"files", "list", "directory", "folder", "ls"},
	Example:     `{"path":"docs"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Limit:       listLimit(),
	Errors:      []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:     30 * time.Second,
	Run: func(ctx context.Context, call *tool.Call, args filesListDirArgs) (*filesListDirResult, error) {
		args.Path = cmp.Or(args.Path, ".")
		items, sum, err := list(ctx, call, args.Path, &args.listArgs)
		if err != nil {
			return nil, err
		}
		return &filesListDirResult{args.Path, items, sum}, nil
	},
})
