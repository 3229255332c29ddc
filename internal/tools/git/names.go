package git

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// shown returns a file name for a result: unchanged, or in C quotes, as git writes it,
// if JSON cannot represent its bytes.
func shown(name string) string {
	if utf8.ValidString(name) && !strings.HasPrefix(name, `"`) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// meant is the inverse of shown; it returns other names unchanged.
func meant(name string) string {
	if len(name) < 2 || name[0] != '"' || name[len(name)-1] != '"' {
		return name
	}
	var b strings.Builder
	for rest := name[1 : len(name)-1]; rest != ""; {
		if rest[0] != '\\' {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		if len(rest) >= 4 {
			if c, err := strconv.ParseUint(rest[1:4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				rest = rest[4:]
				continue
			}
		}
		if len(rest) < 2 || rest[1] != '"' && rest[1] != '\\' {
			return name
		}
		b.WriteByte(rest[1])
		rest = rest[2:]
	}
	return b.String()
}

// maxName limits a path in bytes.
const maxName = 4096

// inside returns the path of a file in the repository. The name is relative to the
// directory of the call; if no such file exists there, but one exists relative to the
// workspace, that one is used.
func (r *repository) inside(name string) (string, error) {
	name = meant(name)
	switch {
	case name == "":
		return "", tool.Fail(tool.ValidationError, "The name of the file is empty; '.' means all files")
	case len(name) > maxName || strings.ContainsRune(name, 0):
		return "", tool.Fail(tool.ValidationError, "The name of the file is too long, or holds the character NUL")
	case path.IsAbs(name):
		return "", tool.Fail(tool.PathNotAllowed, "Access denied: name files relative to the repository, not %s", clip(name, 100))
	}
	p := path.Join(r.prefix, name)
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", tool.Fail(tool.PathNotAllowed, "Access denied: %s is outside the repository", clip(name, 100))
	}
	if p == ".git" || strings.HasPrefix(strings.ToLower(p), ".git/") {
		return "", tool.Fail(tool.PathNotAllowed, "Access denied: .git is not among the files of a repository")
	}
	if r.top != "." && !r.there(path.Join(r.top, p)) {
		whole, ok := strings.CutPrefix(path.Clean(name), r.top+"/")
		if ok && r.there(path.Join(r.top, whole)) {
			return whole, nil
		}
	}
	return p, nil
}
