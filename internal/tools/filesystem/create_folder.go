package filesystem

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type folderArgs struct {
	Path string `json:"path" doc:"Folder to make, relative to the workspace; missing parents are made as well."`
}

type folderResult struct {
	Success bool   `json:"success"`
	Path    string `json:"path"`
	Created bool   `json:"created" doc:"false if it was there already."`
}

var _ = tool.Add(Set, tool.Spec[folderArgs, *folderResult]{
	Name:        "create_folder",
	Description: "Make a folder in the workspace together with the folders above it, and return whether it is new.",
	Tags:        []string{"folder", "directory", "mkdir", "new folder", "create"},
	Example:     `{"path":"drafts/2026"}`,
	Risk:        tool.Low,
	Mutates:     true,
	Idempotent:  true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Errors:      []tool.Kind{tool.PathNotAllowed, tool.ExecutionError},
	Timeout:     10 * time.Second,
	Run:         makeFolder,
})

func makeFolder(_ context.Context, call *tool.Call, args folderArgs) (*folderResult, error) {
	_, absent := call.Files.Stat(args.Path)
	if err := call.Files.MkdirAll(args.Path); err != nil {
		return nil, err
	}
	return &folderResult{Success: true, Path: args.Path, Created: missing(absent)}, nil
}
