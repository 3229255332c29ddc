// Package filesystem holds the tools that read and write the files of the
// caller's workspace.
//
// They see the workspace through [tool.Files] alone: what lies outside cannot
// be named, and the messages for unusable paths are the port's. No result holds
// more than a file of 1 MiB; of a larger one a range of lines can be had.
// Listings, searches and moves come in the order of a walk and say when they
// stopped early. What writes does so in one step, and replaces nothing unless
// it is told to, also when two calls want the same name at once.
//
// They keep no versions: what write_file replaces and delete_file removes is
// gone. A link is listed, moved and deleted as what it is, and copied as the file
// it names; one that leads out of the workspace is never followed. A name that is
// not UTF-8 shows with U+FFFD in place of what is wrong, and is reached by its
// directory and by patterns.
package filesystem

import "github.com/helve-dev/helve/tool"

// Set is the tools of this package.
var Set = tool.NewSet("File System", "filesystem")
