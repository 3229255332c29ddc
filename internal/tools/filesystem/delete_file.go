package filesystem

import (
	"context"
	"path"
	"time"

	"github.com/helve-dev/helve/tool"
)

type deleteFileArgs struct {
	Path      string `json:"path" doc:"File or directory to delete, relative to the workspace."`
	Recursive bool   `json:"recursive,omitzero" doc:"Must be true to delete a directory, which goes with everything in it."`
}

type deleteFileResult struct {
	Success bool   `json:"success"`
	Path    string `json:"path"`
	Deleted bool   `json:"deleted"`
	Count   int    `json:"count" doc:"How many files and directories are gone."`
}

var _ = tool.Add(Set, tool.Spec[deleteFileArgs, *deleteFileResult]{
	Name: "delete_file",
	Description: "Delete a file of the workspace, which restore_file can bring back for a while, or with recursive a directory and all that " +
		"is in it for good; return how many files and directories are gone.",
	Tags:        []string{"file delete", "remove file", "rm", "unlink", "erase", "folder"},
	Example:     `{"path":"docs/old.txt"}`,
	Risk:        tool.Medium,
	Mutates:     true,
	Destructive: true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Errors:      []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:     time.Minute,
	Changes: func(_ context.Context, _ *tool.Call, args deleteFileArgs) ([]tool.Change, error) {
		return tool.Replaces(args.Path), nil
	},
	Run: deleteFile,
})

func deleteFile(ctx context.Context, call *tool.Call, args deleteFileArgs) (*deleteFileResult, error) {
	info, err := call.Files.Lstat(args.Path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir() && !args.Recursive && path.Clean(args.Path) != ".": // which cannot be deleted
		return nil, tool.Fail(tool.ValidationError,
			"Path is a directory, not a file: %s; set recursive to true to delete it with everything in it.", args.Path)
	}
	count, err := call.Files.RemoveAll(ctx, args.Path)
	if err != nil && count > 0 {
		failure := tool.AsError(err)
		return nil, tool.Fail(failure.Kind, "%s (%d files and directories in it were deleted before that)", failure.Msg, count).Because(err)
	}
	if err != nil {
		return nil, err
	}
	return &deleteFileResult{Success: true, Path: args.Path, Deleted: true, Count: count}, nil
}
