// Package filesystem holds the tools that read and write the files of the
// caller's workspace.
//
// They see the workspace through [tool.Files] alone: what lies outside cannot
// be named, and the messages for unusable paths are the port's. No result holds
// more than a file of 1 MiB; of a larger one a range of lines can be had.
//
// They keep no versions: what write_file replaces is gone.
package filesystem

import "github.com/helve-dev/helve/tool"

// Set is the tools of this package.
var Set = tool.NewSet("File System", "filesystem")
