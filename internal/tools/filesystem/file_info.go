package filesystem

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type fileInfoArgs struct {
	Path string `json:"path" doc:"File or directory to describe, relative to the workspace."`
}

type fileInfoResult struct {
	Path        string    `json:"path"`
	Type        string    `json:"type" enum:"file,directory,other"`
	Size        int64     `json:"size" doc:"In bytes; 0 unless it is a file."`
	Created     time.Time `json:"created" doc:"The time of change where the disk keeps no other."`
	Modified    time.Time `json:"modified"`
	Accessed    time.Time `json:"accessed" doc:"The time of change where the disk keeps no other."`
	Permissions string    `json:"permissions" doc:"Octal, such as 644."`
	Versions    []version `json:"versions,omitempty" doc:"Earlier versions of a file that are kept, the newest first; restore_file brings one back."`
}

// version is an earlier version of a file.
type version struct {
	Version  string    `json:"version" doc:"Names it in restore_file."`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified" doc:"When these contents were written."`
	Replaced time.Time `json:"replaced" doc:"When they were replaced or deleted."`
}

func versionOf(v tool.Version) version {
	return version{v.ID, v.Size, second(v.Modified), second(v.Replaced)}
}

var _ = tool.Add(Set, tool.Spec[fileInfoArgs, *fileInfoResult]{
	Name:    "file_info",
	Aliases: []string{"get_file_info"},
	Description: "Describe one file or directory of the workspace without reading it, and return its type, size, times, permissions and the " +
		"earlier versions that can be restored.",
	Tags:       []string{"file info", "size", "detail", "metadata", "stat", "exists", "permissions", "version", "history"},
	Example:    `{"path":"notes.txt"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles,
	Errors:     []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:    10 * time.Second,
	Run:        fileInfo,
})

func fileInfo(_ context.Context, call *tool.Call, args fileInfoArgs) (*fileInfoResult, error) {
	info, err := call.Files.Stat(args.Path)
	if err != nil {
		return nil, restorable(call.Files, args.Path, err)
	}
	created, accessed, err := call.Files.Times(args.Path)
	if err != nil {
		return nil, err
	}
	it := itemOf(args.Path, info)
	res := &fileInfoResult{
		Path: args.Path, Type: it.Type, Size: it.Size, Created: it.Modified, Modified: it.Modified, Accessed: it.Modified,
		Permissions: fmt.Sprintf("%03o", info.Mode().Perm()),
	}
	if !created.IsZero() {
		res.Created = second(created)
	}
	if !accessed.IsZero() {
		res.Accessed = second(accessed)
	}
	if info.Mode().IsRegular() {
		all, err := call.Files.Versions(args.Path)
		if err != nil {
			return nil, err
		}
		for _, v := range all {
			res.Versions = append(res.Versions, versionOf(v))
		}
	}
	return res, nil
}

// restorable adds to a file-not-found error whether the file can be restored.
func restorable(files tool.Files, name string, err error) error {
	if !missing(err) {
		return err
	}
	all, listErr := files.Versions(name)
	if listErr != nil || len(all) == 0 {
		return err
	}
	return tool.Fail(tool.FileNotFound, "%s; it was deleted, and restore_file brings it back.", tool.AsError(err).Msg).Because(err)
}
