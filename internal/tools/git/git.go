// Package git holds the tools for git repositories in the caller's workspace.
//
// A repository is data that somebody else may have written, and git does what its
// configuration says. So the tools find the repository themselves and tell git where
// it is, read its configuration first, and override whatever in it runs a program:
// hooks, filters, external diffs, monitors, editors, pagers, signing, remotes. Files
// that a filter would convert, such as those of Git LFS, are therefore taken as they
// are. A repository whose data lies outside the workspace is refused. Git itself is
// started by [tool.Programs], which confines it, without the network.
//
// Nothing that these tools do is lost: branches that are not merged are not deleted,
// switching keeps local changes, and restoring a file saves what it replaces.
package git

import "github.com/helve-dev/helve/tool"

// Set is the tools of this package.
var Set = tool.NewSet("Git", "git")
