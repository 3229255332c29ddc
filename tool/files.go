package tool

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// Files is the workspace of the call's tenant and user. Paths are relative to
// it, with forward slashes; an absolute path, one that leaves the workspace or
// one that passes a link out of it fails with path_not_allowed, one that is
// not there with file_not_found. Errors are [*Error] with those kinds where
// they apply and never show a path of the host.
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
	// Lstat is Stat, except that it describes a link the path ends in and not
	// what the link names.
	Lstat(path string) (fs.FileInfo, error)
	// Times tells when a file or directory was made and when it was last read,
	// each the zero time if the disk does not say.
	Times(path string) (created, accessed time.Time, err error)
	// ReadDir lists a directory, by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Walk visits everything below a directory.
	Walk(path string, visit Visit) error
}

// Visit is called by [FileReader].Walk for everything below a directory, each
// directory before what is in it, by name. The path begins with the one that
// was walked. A link is visited and not followed. For a directory that cannot be
// listed visit is called once more, with the reason. It may return
// [fs.SkipDir] to pass over a directory, or with a file over the rest of the
// file's directory, and [fs.SkipAll] to end the walk; any other error ends the
// walk and is what Walk returns.
type Visit func(path string, entry Entry, err error) error

// Entry is what a walk has come to. It is of use during the visit only.
type Entry interface {
	fs.DirEntry
	// Open opens a file for reading, at less cost than by its path.
	Open() (fs.File, error)
}

// FileWriter is the half of [Files] that changes the workspace.
type FileWriter interface {
	// Write replaces the file with what data yields, in one step: a reader
	// sees the old file or the new one, and a failed write leaves the old.
	// It returns the number of bytes written.
	Write(path string, data io.Reader) (int64, error)
	// Create is Write for a new file with the given permissions; where there is
	// something already it fails with validation_error and leaves that alone.
	Create(path string, mode fs.FileMode, data io.Reader) (int64, error)
	// Append adds data to the end of the file in one write, and makes the
	// file if it is not there.
	Append(path string, data []byte) error
	// MkdirAll makes a directory and its parents.
	MkdirAll(path string) error
	// Remove removes a file, a link or an empty directory.
	Remove(path string) error
	// RemoveAll removes a directory with everything below it, or what Remove
	// does, and returns how many files and directories it removed, also where
	// it failed. It ends soon after ctx does.
	RemoveAll(ctx context.Context, path string) (int, error)
	// Rename moves a file or directory. A file at the new place is replaced.
	Rename(from, to string) error
	// Move is Rename, except that where there is something at the new place it
	// fails with validation_error and leaves both alone.
	Move(from, to string) error
}
