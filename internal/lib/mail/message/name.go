package message

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

const (
	longestName      = 150 // bytes
	longestExtension = 20  // bytes
)

// SafeName returns a name for a file that came with a mail, which is one element of a path
// whatever the sender wrote: no directories, control characters, leading dots or hidden
// characters. A file without a name gets one of its number and type.
func SafeName(name, kind string, number int) string {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, ""), "\\", "/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), hidden(r), r == unicode.ReplacementChar:
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.TrimRight(strings.TrimLeft(strings.TrimSpace(name), ". "), ". ")
	if name == "" {
		return fmt.Sprintf("attachment-%d%s", number, extension(kind))
	}
	if len(name) <= longestName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > longestExtension {
		ext = ""
	}
	return textcut.Head(strings.TrimSuffix(name, ext), longestName-len(ext)) + ext
}

// extensions are the usual endings of the names of some types.
var extensions = map[string]string{
	"text/plain": ".txt", "text/html": ".html", "text/csv": ".csv", "text/calendar": ".ics", "message/rfc822": ".eml",
	"application/pdf": ".pdf", "application/zip": ".zip", "application/json": ".json", "image/jpeg": ".jpg", "image/png": ".png",
	"image/gif": ".gif", "image/webp": ".webp",
}

func extension(kind string) string { return cmp.Or(extensions[kind], ".bin") }
