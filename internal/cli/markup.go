package cli

import "strings"

// bareMarkup returns a preview with <, > and & unescaped. A server escapes them for the
// sake of web pages; it doubles a backslash in a value.
func bareMarkup(preview string) string {
	var out strings.Builder
	for i := 0; i < len(preview); {
		rest := preview[i:]
		switch {
		case strings.HasPrefix(rest, `\\`):
			out.WriteString(`\\`)
			i += 2
		case strings.HasPrefix(rest, `\u003c`):
			out.WriteByte('<')
			i += 6
		case strings.HasPrefix(rest, `\u003e`):
			out.WriteByte('>')
			i += 6
		case strings.HasPrefix(rest, `\u0026`):
			out.WriteByte('&')
			i += 6
		default:
			out.WriteByte(rest[0])
			i++
		}
	}
	return out.String()
}
