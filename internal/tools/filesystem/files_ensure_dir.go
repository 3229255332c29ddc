package filesystem

import (
	"time"

	"github.com/helve-dev/helve/tool"
)

var _ = tool.Add(Set, tool.Spec[folderArgs, *folderResult]{
	Name:        "files.ensure_dir",
	Description: "See to it that a directory is there before files are put into it, and return whether it had to be made.",
	Tags:        []string{"files", "directory", "folder", "mkdir", "ensure"},
	Example:     `{"path":"archive"}`,
	Risk:        tool.Low,
	Mutates:     true,
	Idempotent:  true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Errors:      []tool.Kind{tool.PathNotAllowed, tool.ExecutionError},
	Timeout:     10 * time.Second,
	Run:         makeFolder,
})
