// Package tools is the documentation of the built-in tools: a page for each
// category, and the README that lists them. The pages are written from the
// definitions by internal/tools/toolsdoc, whose tests hold them to that; here they
// are only embedded, so that a command can print them. They are as new as the
// program, not as the workers it speaks to.
package tools

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Section returns the section of a tool, from its heading to the next one.
func Section(name string) (string, bool) {
	names, err := fs.Glob(pages, "*.md")
	if err != nil || strings.Contains(name, "\n") {
		return "", false
	}
	for _, page := range names {
		if page == "README.md" {
			continue // its headings are no tools
		}
		text, err := fs.ReadFile(pages, page)
		if err != nil {
			return "", false
		}
		const heading = "\n## "
		_, rest, ok := strings.Cut(string(text), heading+name+"\n")
		if !ok {
			continue
		}
		rest, _, _ = strings.Cut(rest, heading)
		return "## " + name + "\n" + strings.TrimRight(rest, "\n") + "\n", true
	}
	return "", false
}
