package preview

import (
	stdpath "path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// slashes are signs that look like those of a path, beside those that NFKC maps.
var slashes = strings.NewReplacer(
	"\u2215", "/", "\u2044", "/", "\u29f8", "/", "\u2571", "/", "\u3033", "/",
	"\u29f5", `\`, "\u2216", `\`, "\ufe68", `\`, "\u3002", ".", "\ua4f8", ".", "\u0701", ".", "\u0702", ".",
	"%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`,
)

// resolved returns the path that results from a text if ., .., dots at the end of names and
// signs that look like dots and slashes are resolved. Odd reports whether the difference
// may deceive a reader; same is set if the text is already resolved.
func resolved(text string) (to string, odd, same bool) {
	if len(text) > 4096 || !strings.ContainsAny(text, "/.") && ascii(text) && !strings.Contains(text, "%") {
		return "", false, true
	}
	read := text
	if !ascii(text) {
		read = norm.NFKC.String(slashes.Replace(text))
	}
	read = slashes.Replace(read)
	disguised := slashesIn(read) != slashesIn(text)
	if !strings.Contains(read, "/") || !disguised && !dotted(read) {
		return "", false, true
	}
	names := strings.Split(read, "/")
	for i, name := range names {
		if base := strings.TrimRight(name, "."); base != "" {
			names[i] = base
		}
	}
	to = stdpath.Clean(strings.Join(names, "/"))
	if to == strings.TrimSuffix(text, "/") {
		return "", false, true
	}
	return to, disguised || strings.Contains("/"+read+"/", "/../") && to != read, false
}

// slashesIn counts the separators of a path.
func slashesIn(text string) (n int) {
	return strings.Count(text, "/") + strings.Count(text, `\`) + strings.Count(text, "..")
}

// dotted reports whether a name in a path is . or .., or ends in a dot.
func dotted(text string) bool {
	for name := range strings.SplitSeq(text, "/") {
		if strings.HasSuffix(name, ".") {
			return true
		}
	}
	return false
}

// maxSpaced is the maximum length of a text with blanks that is treated as a path, in
// bytes.
const maxSpaced = 512

// spacedPath reports whether a text with blanks is a path with a misleading target. Prose
// has dots at the end of words, so only . and .. count.
func spacedPath(text string) bool {
	if len(text) > maxSpaced || strings.ContainsAny(text, "\r\n") {
		return false
	}
	read := slashes.Replace(norm.NFKC.String(slashes.Replace(text)))
	for name := range strings.SplitSeq(read, "/") {
		if name = strings.TrimSpace(name); name == "." || name == ".." {
			return strings.Contains(read, "/")
		}
	}
	return false
}
