package workspace

import (
	"path"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// maxPath limits a path in bytes; os.Root walks name by name, so the kernel's own limit
// would not apply.
const maxPath = 4096

// maxLevels limits the names of a path: a directory is opened once for each name above it, and
// 2,000 levels took a minute to make.
const maxLevels = 100

// tempPrefix begins the names of unfinished files of Write. Callers cannot name them
// and no listing shows them.
const tempPrefix = ".helve-tmp-"

// local returns the clean form of a caller's path, or the reason why no such path can
// be in a workspace. A path that is absolute on any system is treated as absolute,
// since the caller meant that.
func local(name string) (string, error) {
	slashed := strings.ReplaceAll(name, `\`, "/")
	clean := path.Clean(slashed)
	switch {
	case name == "":
		return "", tool.Fail(tool.ValidationError,
			"The path is empty; name a file or directory relative to the workspace, and the workspace itself as a dot.")
	case len(name) > maxPath:
		return "", tooLong()
	case path.IsAbs(clean), hasDrive(clean), clean == "..", strings.HasPrefix(clean, "../"):
		return "", outside()
	case strings.ContainsRune(name, 0):
		return "", tool.Fail(tool.ValidationError, "The path holds the character NUL, which no name of a file can have; leave it out.")
	case slashed != name:
		return "", tool.Fail(tool.ValidationError, "Paths use forward slashes: write %s", slashed)
	case strings.Count(clean, "/") >= maxLevels:
		return "", tooDeep()
	case strings.HasPrefix(clean, tempPrefix), strings.Contains(clean, "/"+tempPrefix):
		return "", tool.Fail(tool.PathNotAllowed, "Access denied: names that begin with %s are reserved", tempPrefix)
	}
	return clean, nil
}

func hasDrive(p string) bool {
	return len(p) > 2 && p[1] == ':' && p[2] == '/' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}

// file is local for a path that must name a file.
func file(name string) (string, error) {
	p, err := local(name)
	if err == nil && (p == "." || strings.HasSuffix(name, "/")) {
		return "", directory(name)
	}
	return p, err
}

// below is local for a path that must not be the workspace itself.
func below(name string) (string, error) {
	p, err := local(name)
	if err == nil && p == "." {
		return "", tool.Fail(tool.ValidationError, "The workspace itself cannot be moved or removed.")
	}
	return p, err
}

func outside() *tool.Error {
	return tool.Fail(tool.PathNotAllowed, "Access denied: path is outside the workspace")
}

func directory(name string) *tool.Error {
	return tool.Fail(tool.ValidationError, "Path is a directory, not a file: %s", name)
}

func tooLong() *tool.Error {
	return tool.Fail(tool.ValidationError, "The path is too long: it may have %d bytes and each name in it 255; use a shorter one.", maxPath)
}

func tooDeep() *tool.Error {
	return tool.Fail(tool.ValidationError, "The path is too deep: it may have %d levels; use fewer directories within each other.", maxLevels)
}

func taken(name string) *tool.Error {
	return tool.Fail(tool.ValidationError, "The path exists already: %s; choose another name.", name)
}
