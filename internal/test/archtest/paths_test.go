package archtest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guides are the pages that lead through the source.
var guides = []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"}

// imagined is the tool that CONTRIBUTING.md adds as an example: its files do not exist.
const imagined = "count_lines"

var (
	// quoted matches a path in a text, with a declaration of the file after a colon.
	quoted = regexp.MustCompile(
		"`((?:[\\w.-]+/)*[\\w-]+\\.go|(?:client|cmd|config|docs|examples|internal|protocol|tool|worker)/[\\w./-]+)(?:: (\\w+))?`",
	)
	// linked matches a link to a file.
	linked = regexp.MustCompile(`\]\(([\w./-]+)(?:#[\w-]*)?\)`)
	// listed matches a directory in a list of directories.
	listed = regexp.MustCompile(`(?:^|[ :])([\w.-]+(?:/[\w.-]+)*/)`)
)

// reader reads a file, or reports an error for a path that is neither file nor directory.
type reader func(path string) (text string, err error)

// brokenPaths returns a finding for each path in a page that does not exist, and for each
// declaration that its file does not have. In a code block, it checks directories that a
// line begins with, and further ones of the line, which may be below the first.
func brokenPaths(page, text string, read reader) []string {
	var broken []string
	exists := func(p string) bool { _, err := read(p); return err == nil }
	block := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			block = !block
			continue
		}
		if block {
			broken = append(broken, brokenList(page, line, exists)...)
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			p, name := m[1], m[2]
			if strings.Contains(p, imagined) {
				p = path.Dir(p)
			}
			content, err := read(p)
			switch {
			case err != nil:
				broken = append(broken, fmt.Sprintf("%s: %s does not exist; write the path from the root of the repository", page, m[1]))
			case name != "" && !regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var |const |\t)`+name+`\b`).MatchString(content):
				broken = append(broken, fmt.Sprintf("%s: %s does not declare %s", page, p, name))
			}
		}
		for _, m := range linked.FindAllStringSubmatch(line, -1) {
			if !exists(m[1]) {
				broken = append(broken, fmt.Sprintf("%s: the link to %s leads nowhere", page, m[1]))
			}
		}
	}
	return broken
}

// brokenList checks a line of a list of directories.
func brokenList(page, line string, exists func(string) bool) []string {
	dirs := listed.FindAllStringSubmatch(line, -1)
	if len(dirs) == 0 || !strings.HasPrefix(line, dirs[0][1]) {
		return nil // not a list
	}
	var broken []string
	for _, m := range dirs {
		if dir := m[1]; !exists(dir) && !exists(path.Join(dirs[0][1], dir)) && !exists(path.Join(path.Dir(path.Clean(dirs[0][1])), dir)) {
			broken = append(broken, fmt.Sprintf("%s: the directory %s of the layout does not exist", page, dir))
		}
	}
	return broken
}

func TestPaths(t *testing.T) {
	read := func(name string) (string, error) {
		full := filepath.Join(root, filepath.FromSlash(name))
		if info, err := os.Stat(full); err != nil || info.IsDir() {
			return "", err
		}
		text, err := os.ReadFile(full)
		return string(text), err
	}
	for _, page := range guides {
		text, err := read(page)
		if err != nil {
			t.Fatal(err)
		}
		report(t, brokenPaths(page, text, read))
	}
}

func TestBrokenPaths(t *testing.T) {
	files := map[string]string{"internal/a": "", "internal/a/b": "", "internal/a/x.go": "func (t *T) run() {}\n", "docs/p.md": ""}
	read := func(name string) (string, error) {
		text, ok := files[path.Clean(name)]
		if !ok {
			return "", os.ErrNotExist
		}
		return text, nil
	}
	for text, want := range map[string]int{
		"`internal/a/x.go: run` and `internal/a`":     0,
		"`internal/a/x.go: walk`":                     1,
		"`internal/c`":                                1,
		"`x.go`":                                      1,
		"`internal/a/count_lines.go`":                 0,
		"`internal/c/count_lines.go`":                 1,
		"`tools/call` and `call.<pool>`":              0,
		"[page](docs/p.md) [web](https://x.org/)":     0,
		"[page](docs/q.md#top)":                       1,
		"```\ninternal/a/ does it;  b/ the rest\n```": 0,
		"```\ninternal/a/ does it;  c/ the rest\n```": 1,
		"```\ngo test ./c/\n```":                      0,
	} {
		if got := brokenPaths("page", text, read); len(got) != want {
			t.Errorf("brokenPaths(%q) = %q, want %d findings", text, got, want)
		}
	}
}
