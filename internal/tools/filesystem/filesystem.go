// Package filesystem holds the tools that read and write the files of the caller's
// workspace.
//
// They reach the workspace only through [tool.Files]: paths outside it cannot be named,
// and the port writes the errors for unusable paths. A result holds at most 1 MiB of a
// file; a range of lines of a larger file can be requested. Listings, searches and
// moves have the order of a walk and report when they stopped early. Writes are atomic,
// and replace nothing unless requested, even if two calls write the same name
// concurrently.
//
// The port keeps a replaced or deleted file as an earlier version, which file_info
// lists and restore_file restores; a deleted directory cannot be restored. A link is
// listed, moved and deleted as a link, and copied as its target; a link that leads out
// of the workspace is never followed. A name that is not UTF-8 is shown with U+FFFD in
// place of the invalid bytes, and can be reached by its directory and by patterns.
package filesystem

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package.
var Set = tool.NewSet("File System", "filesystem")
