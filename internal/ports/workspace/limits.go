package workspace

import "github.com/helve-dev/helve/tool"

// Limits limits each workspace. 0 means no limit.
type Limits struct {
	// MaxBytes and MaxFiles limit a workspace, earlier versions included. Directories
	// and links count as files.
	MaxBytes, MaxFiles int64
	// Versions is the number of earlier versions kept of each file; 0 keeps none.
	Versions int
	// VersionBytes limits the earlier versions of all files of a workspace. A larger
	// file is replaced without a version.
	VersionBytes int64
}

// DefaultLimits returns the limits of the default configuration.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 1 << 30, MaxFiles: 100_000, Versions: 10, VersionBytes: 100 << 20}
}

// keeps reports whether a file of that size is kept when it is replaced.
func (l Limits) keeps(size int64) bool {
	return l.Versions > 0 && (l.VersionBytes == 0 || size <= l.VersionBytes)
}

// amount is a number of files and their bytes.
type amount struct{ bytes, files int64 }

func (a amount) plus(b amount) amount { return amount{a.bytes + b.bytes, a.files + b.files} }

func (a amount) minus(b amount) amount { return amount{a.bytes - b.bytes, a.files - b.files} }

// within reports whether the amount a is within the limits.
func (l Limits) within(a amount) bool {
	return (l.MaxBytes == 0 || a.bytes <= l.MaxBytes) && (l.MaxFiles == 0 || a.files <= l.MaxFiles)
}

// Room returns an execution_error that lists what to delete if the workspace of a user
// exceeds its limits. Call it before something other than [tool.Files] writes to the
// workspace.
func (w *Workspaces) Room(tenant, user string, within ...tool.Scopes) error {
	f, err := w.folder(tenant, user, within...)
	if err != nil {
		return err
	}
	return f.take(amount{})
}

// Stale makes the next write count the workspace of a user. Call it after something
// other than [tool.Files] wrote to the workspace.
func (w *Workspaces) Stale(tenant, user string) {
	if dir, err := w.place(tenant, user); err == nil {
		w.usage(dir).stale()
	}
}
