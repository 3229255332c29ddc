package preview

import "strings"

// Hide returns a text in which what looks like a secret is •••, as in a preview. Everything else
// is as it was.
func Hide(text string) string {
	clean, some := redact(text, "")
	if !some {
		return text
	}
	return strings.ReplaceAll(clean, string([]byte{concealed}), bullets)
}

// Line returns the visible form of one line of text: characters that are not plainly visible are
// written as in JSON, and the middle of a long one is left out.
func Line(text string) string {
	line, _ := shown(text, mostLine)
	return line
}

// mostLine bounds a line, in bytes.
const mostLine = 400
