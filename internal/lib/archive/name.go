package archive

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Bounds of a name.
const (
	maxPath    = 1024 // bytes
	maxElement = 255  // bytes
	maxLevels  = 50
)

// pathOf returns the path of an entry relative to where it is written, or the reason why it
// must not be written. Some programs on Windows write backslashes for slashes.
func pathOf(name string) (clean, problem string) {
	slashed := strings.ReplaceAll(name, `\`, "/")
	clean = path.Clean(slashed)
	switch {
	case !utf8.ValidString(name):
		return "", "its name is not UTF-8"
	case strings.ContainsFunc(name, deceives):
		return "", "its name has a control character or a character that changes how it is shown"
	case path.IsAbs(slashed), len(slashed) > 1 && slashed[1] == ':':
		return "", "its name is an absolute path"
	case hasParent(slashed):
		return "", "its name leads out of the directory"
	case len(clean) > maxPath, strings.Count(clean, "/") >= maxLevels, hasLongElement(clean):
		return "", "its name is too long or has too many levels"
	}
	return clean, ""
}

// deceives reports whether a character is not shown, or changes how others are.
func deceives(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

func hasParent(slashed string) bool {
	for element := range strings.SplitSeq(slashed, "/") {
		if element == ".." {
			return true
		}
	}
	return false
}

func hasLongElement(clean string) bool {
	for element := range strings.SplitSeq(clean, "/") {
		if len(element) > maxElement {
			return true
		}
	}
	return false
}

// Shown returns a name as a result can show it: U+FFFD in place of what deceives.
func Shown(name string) string {
	name = strings.Map(func(r rune) rune {
		if deceives(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	if len(name) > maxPath {
		name = strings.ToValidUTF8(name[:maxPath], "") + "…"
	}
	return name
}

// zipName returns a name that a zip file has in the code page of old programs as UTF-8.
func zipName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	if text, err := charmap.CodePage437.NewDecoder().String(name); err == nil {
		return text
	}
	return name
}
