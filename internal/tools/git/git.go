// Package git holds the tools for git repositories in the caller's workspace.
//
// A repository is untrusted data, and git obeys its configuration. So the tools find
// the repository themselves, pass its location to git, and run git without the
// repository's configuration and hooks (package gitview). Files that a filter would
// convert, such as those of Git LFS, are therefore used unconverted. A repository whose data is
// outside the workspace is refused. [tool.Programs] starts git confined and without the
// network.
//
// These tools lose no work: branches that are not merged are not deleted, switching
// keeps local changes, and restoring a file saves the replaced contents.
package git

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package.
var Set = tool.NewSet("Git", "git")
