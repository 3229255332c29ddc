package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
)

// varying matches output that differs between runs.
var varying = regexp.MustCompile(`[0-9.]+ (ms|MB)\b`)

// TestJSPage runs the commands of docs/javascript.md and docs/programs.md that need no
// server, in their order, and compares their output with the pages.
func TestJSPage(t *testing.T) {
	for page, least := range map[string]int{"javascript.md": 4, "programs.md": 3} {
		t.Run(page, func(t *testing.T) { runPage(t, "../../docs/"+page, least) })
	}
}

func runPage(t *testing.T, path string, least int) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	ran := 0
	for _, block := range regexp.MustCompile("(?ms)^```console\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		for _, step := range strings.Split("\n"+block[1], "\n$ helve ")[1:] {
			command, want, _ := strings.Cut(step+"\n", "\n")
			if strings.Contains(command, "http://") || !strings.HasPrefix(command, "js ") {
				continue
			}
			ran++
			var got bytes.Buffer
			cli.Run(t.Context(), words(command), strings.NewReader(""), &got, &got, commands(nil)...)
			if printed := masked(got.String()); printed != masked(want) {
				t.Errorf("helve %s prints\n%s\nthe page has\n%s", command, printed, masked(want))
			}
		}
	}
	if ran < least {
		t.Errorf("%d commands were found on the page", ran)
	}
}

func masked(text string) string {
	return strings.TrimSpace(varying.ReplaceAllString(text, "N $1"))
}

// words splits a command as a shell does, where only single quotes quote.
func words(command string) []string {
	var all []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

// TestJSExamples: the examples pass their own cases, as their readers would run
// them.
func TestJSExamples(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"js", "check", "examples"}, {"js", "test", "examples"}} {
		args[2] = filepath.Join("..", "..", "examples", "javascript", "tools")
		var out bytes.Buffer
		if code := cli.Run(t.Context(), args, strings.NewReader(""), &out, &out, jsCommand()); code != 0 ||
			!strings.Contains(out.String(), "ok: 7 ") {
			t.Errorf("helve %s exits with %d and prints\n%s", strings.Join(args, " "), code, out.String())
		}
	}
}
