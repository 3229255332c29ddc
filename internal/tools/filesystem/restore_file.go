package filesystem

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type restoreFileArgs struct {
	Path    string `json:"path" doc:"File to restore, relative to the workspace; it may be deleted."`
	Version string `json:"version,omitzero" doc:"Which earlier version, as file_info names it; the newest if left out."`
}

type restoreFileResult struct {
	Success  bool      `json:"success"`
	Path     string    `json:"path"`
	Version  string    `json:"version" doc:"The version that was restored."`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified" doc:"When these contents were written."`
}

var _ = tool.Add(Set, tool.Spec[restoreFileArgs, *restoreFileResult]{
	Name: "restore_file",
	Description: "Bring back an earlier version of a file of the workspace that was replaced or deleted, and return which one; " +
		"the file as it is now becomes an earlier version itself.",
	Tags:    []string{"file restore", "undo", "revert", "version", "undelete", "recover", "history"},
	Example: `{"path":"notes.txt"}`,
	Risk:    tool.Low,
	Mutates: true,
	Scopes:  tool.Scopes{Paths: []string{"workspace"}},
	Needs:   tool.NeedFiles,
	Errors:  []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout: 30 * time.Second,
	Changes: func(_ context.Context, _ *tool.Call, args restoreFileArgs) ([]tool.Change, error) {
		return tool.Replaces(args.Path), nil
	},
	Run: restoreFile,
})

func restoreFile(ctx context.Context, call *tool.Call, args restoreFileArgs) (*restoreFileResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, err := call.Files.Versions(args.Path)
	if err != nil {
		return nil, err
	}
	var v tool.Version
	restore := func() (err error) {
		v, err = call.Files.Restore(args.Path, args.Version)
		return err
	}
	if len(all) == 0 { // a directory was created only for a version
		err = restore()
	} else {
		err = inDirectory(call.Files, args.Path, restore)
	}
	if err != nil {
		return nil, err
	}
	return &restoreFileResult{Success: true, Path: args.Path, Version: v.ID, Size: v.Size, Modified: second(v.Modified)}, nil
}
