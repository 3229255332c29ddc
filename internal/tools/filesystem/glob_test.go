package filesystem

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestGlobs(t *testing.T) {
	for _, tt := range []struct{ list, yes, no string }{
		{"*.txt", "a.txt|d/a.txt|.txt|.a.txt", "a.txtx|a.TXT|a.txt/b"},
		{"./*.txt", "a.txt|d/a.txt", "a.md"},
		{"*", "a|d/a|a b", ""},
		{"a?c", "abc|aéc|d/a\xffc", "ac|abbc"},
		{"[a-c]x", "ax|bx", "dx|-x"},
		{"[!a-c]x", "dx|-x", "ax|x"},
		{"[^a]x", "bx", "ax"},
		{"[]]x", "]x", "x"},
		{"[a-]x", "ax|-x", "bx"},
		{`[\]\\^&&[~]x`, `]x|\x|^x|&x|[x|~x`, "ax"},
		{`\[a`, "[a", "a"},
		{`\{a,b`, "{a|b", "a"},
		{"[a/b]", "", "a|b"},
		{"{a,b*}.md", "a.md|bcd.md", "c.md|{a,b}.md"},
		{"{a,{b,c}d}", "a|bd|cd", "b|ad"},
		{"a}", "a}", "a"},
		{"{[}],x}y", "}y|xy", "y"},
		{`\*x`, "*x", "ax"},
		{`a\,b`, "a,b", "a|b"},
		{"*.md, *.txt", "a.md|b.txt", "a.go"},
		{"*.{md,txt},*.go", "a.md|b.txt|c.go", "a.c"},
		{"d/*.txt", "d/a.txt", "a.txt|d/e/a.txt|x/d/a.txt"},
		{"**/x.go", "x.go|a/x.go|a/b/x.go", "ax.go"},
		{"a/**", "a/b|a/b/c", "a|ab"},
		{"a/**/z", "a/z|a/b/z|a/b/c/z", "az|a/bz"},
		{"a**z", "abz|az", "a/z"},
		{"a\nb*", "a\nbc", "ab"},
		{"(a|b)+.$^", "(a|b)+.$^", "a"},
		{"файл*", "файл.txt", "Файл.txt"},
	} {
		g, err := globsOf(tt.list, false)
		if err != nil {
			t.Errorf("globsOf(%q): %v", tt.list, err)
			continue
		}
		for want, names := range map[bool]string{true: tt.yes, false: tt.no} {
			parts := strings.Split(names, "|")
			if strings.HasPrefix(tt.list, "(") { // the only name that contains the separator
				parts = []string{names}
			}
			for _, name := range parts {
				if name != "" && g.match(name) != want {
					t.Errorf("%q matches %q = %v, want %v", tt.list, name, !want, want)
				}
			}
		}
	}
	if g, err := globsOf("*.TXT", true); err != nil || !g.match("a.txt") {
		t.Errorf("without case *.TXT does not match a.txt: %v", err)
	}
	if g, err := globsOf(" , ", false); err != nil || g.match("a") {
		t.Errorf("an empty list matches: %v", err)
	}
	for _, bad := range []string{"[z-a]", "*.md,[z-a]", "./", "[a", "x[", "{a,b", "*.{md", "[{a", `a\\`[:2], "*.md,[x"} {
		shown := fmt.Sprintf("%q", bad[strings.LastIndex(bad, ",")+1:])
		if _, err := globsOf(bad, false); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.ValidationError ||
			!strings.Contains(err.Error(), shown[1:]) {
			t.Errorf("globsOf(%q): error %v, want %s", bad, err, tool.ValidationError)
		}
	}
}

// No pattern panics or takes long, and a pattern without special characters matches
// itself.
func FuzzGlobs(f *testing.F) {
	for _, seed := range []string{"*.txt", "**/a/[!b-c]?.{md,{x,y}}", "[]", "[!]", "{", `\`, "{[},a}", "a,b", strings.Repeat("*a", 400)} {
		f.Add(seed, "a/b.txt")
	}
	f.Fuzz(func(t *testing.T, list, name string) {
		if len(list) > 1000 || len(name) > 1000 {
			return
		}
		g, err := globsOf(list, false)
		if err != nil {
			return
		}
		got := g.match(name)
		plain := !strings.ContainsAny(list, `*?[]{}\,/`) && strings.TrimSpace(list) == list && list != "" && strings.ToValidUTF8(list, "") == list
		if plain && list != "." && !strings.HasSuffix(name, "/") && got != (name == list || strings.HasSuffix(name, "/"+list)) {
			t.Errorf("%q matches %q = %v", list, name, got)
		}
	})
}
