package tool

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// Files is the workspace of the call's tenant and user. Paths are relative to it, with
// forward slashes. An absolute path, a path that leaves the workspace and a path
// through a link out of it fail with path_not_allowed, a missing file with
// file_not_found. Errors are [*Error] with those kinds where they apply and never
// contain a path of the host.
type Files interface {
	FileReader
	FileWriter
}

// FileReader is the half of [Files] that changes nothing.
type FileReader interface {
	// Open opens a file for reading.
	Open(path string) (fs.File, error)
	// Stat describes a file or directory.
	Stat(path string) (fs.FileInfo, error)
	// Lstat is Stat, except that it describes a link at the end of the path and not the
	// link's target.
	Lstat(path string) (fs.FileInfo, error)
	// Times returns the creation and last access time of a file or directory, each zero
	// if the file system does not record it.
	Times(path string) (created, accessed time.Time, err error)
	// ReadDir lists a directory, by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Walk visits everything below a directory.
	Walk(path string, visit Visit) error
	// Versions returns the stored earlier versions of a file, newest first, even if the
	// file has been removed. A workspace that keeps no versions returns none.
	Versions(path string) ([]Version, error)
}

// Version is an earlier version of a file, stored when the file was replaced or
// removed.
type Version struct {
	// ID identifies the version among those of its file.
	ID   string
	Size int64
	// Modified is when these contents were written, Replaced when they were replaced.
	Modified, Replaced time.Time
}

// Visit is called by [FileReader].Walk for everything below a directory, by name, each
// directory before its contents. The path begins with the walked path. A link is
// visited and not followed. For a directory that cannot be listed, visit is called a
// second time with the error. It may return [fs.SkipDir] to skip a directory or, for a
// file, the rest of the file's directory, and [fs.SkipAll] to end the walk; any other
// error ends the walk and is returned by Walk.
type Visit func(path string, entry Entry, err error) error

// Entry is a file or directory visited by a walk. It is valid during the visit only.
type Entry interface {
	fs.DirEntry
	// Open opens a file for reading; it is cheaper than opening it by path.
	Open() (fs.File, error)
}

// FileWriter is the half of [Files] that changes the workspace.
type FileWriter interface {
	// Write replaces the file with the contents of data, atomically: a reader sees the
	// old file or the new file, and a failed write leaves the old. It returns the
	// number of bytes written. The replaced file is stored as a version if the
	// workspace keeps versions.
	Write(path string, data io.Reader) (int64, error)
	// Create is Write for a new file with the given permissions; if the path exists it
	// fails with validation_error and changes nothing.
	Create(path string, mode fs.FileMode, data io.Reader) (int64, error)
	// Append adds data to the end of the file in one write, and creates the file if it
	// does not exist.
	Append(path string, data []byte) error
	// MkdirAll creates a directory and its parents.
	MkdirAll(path string) error
	// Remove removes a file, a link or an empty directory. A removed file is stored as
	// a version.
	Remove(path string) error
	// RemoveAll removes a directory and everything below it without storing versions;
	// for anything else it does what Remove does. It returns the number of files and
	// directories removed, even if it failed. It returns soon after ctx ends.
	RemoveAll(ctx context.Context, path string) (int, error)
	// Discard is RemoveAll for a tool's own temporary files: it stores no versions.
	Discard(ctx context.Context, path string) error
	// Restore replaces the file with an earlier version, the newest if id is empty, and
	// returns that version. It stores the current file as a version, and keeps the
	// restored version. A missing version fails with file_not_found.
	Restore(path, id string) (Version, error)
	// Rename moves a file or directory. A file at the new path is replaced and stored
	// as a version.
	Rename(from, to string) error
	// Move is Rename, except that it fails with validation_error if the new path
	// exists, and changes nothing.
	Move(from, to string) error
}
