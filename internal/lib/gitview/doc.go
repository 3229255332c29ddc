// Package gitview makes commands that run git on a repository without the repository's
// configuration.
//
// # What it promises
//
// A repository is data that anybody may have written, and git obeys its configuration:
// filters, external diffs, monitors, hooks, pagers, helpers, and settings that do not
// exist yet. So git does not read it. The per-worktree files of the repository (HEAD, the
// index) stay where they are, and everything else is taken from a directory that only the
// run has: links to the objects, references and logs of the repository, and a
// configuration that holds copies of the settings in [Keys], of which none starts a
// program. Hooks and info/attributes are not there. A file that changes between a check
// and the run changes nothing, because no check is needed.
//
// # What it does not promise
//
// Git cannot change settings under a view; changes are lost. Attributes in the files of
// the repository apply, but the drivers that they name are not defined.
package gitview
