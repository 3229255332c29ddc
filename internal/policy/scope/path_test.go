package scope

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func inPaths(entries ...string) tool.Scopes { return tool.Scopes{Paths: entries} }

// wantRefused fails unless err is nil, or a refusal of kind if refused is set.
func wantRefused(t *testing.T, what string, err error, refused bool, kind tool.Kind) {
	t.Helper()
	if (err != nil) != refused || refused && tool.AsError(err).Kind != kind {
		t.Errorf("%s = %v, want refused %v with %s", what, err, refused, kind)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ entry, within, outside string }{
		{"workspace", ". a a/b workspace", ""},
		{".", "a a/b", ""},
		{"./", ". a/b", ".. /etc"},
		{"workspace/", ". a/b", ".. /etc"},
		{
			"notes", "notes notes/ ./notes notes/a notes/a/b x/../notes/a notes//a notes/./x",
			". note notes2 notes2/a x/notes Notes NOTES/a notes/../secret notes/.. ../notes /notes notes/../../notes notes\\a",
		},
		{"workspace/notes", "notes notes/a", "workspace/notes . x"},
		{"workspace/workspace", "workspace workspace/a", "notes"},
		{"./notes/", "notes notes/a", "note"},
		{"a/b/c.md", "a/b/c.md a/b/c.md/below", "a a/b a/b/c a/b/c.mdx"},
		{"notes/*.md", "notes/a.md notes/.md notes/x.y.md", "notes notes/a.txt notes/a.md/x notes/a/b.md a.md notes/a.MD"},
		{"notes/*", "notes/a notes/.hidden", "notes notes/a/b"},
		{"*", "a .a", ". a/b"},
		{"*/notes", "a/notes a/notes/x", "notes a/b/notes a"},
		{"a*b*c", "abc axbxc abcbc", "ab abcd bac abc/d"},
		{"notes/**", "notes notes/a notes/a/b", ". note"},
		{"**", ". a a/b/c", "../a /a"},
		{"**/*.md", "a.md a/b.md a/b/c.md", ". a a/b.txt a.md/x"},
		{"a/**/z", "a/z a/b/z a/b/c/z a/z/below a/z/z", "a z a/b b/z"},
		{"**/a/**/b", "a/b x/a/y/b/below a/a/b/b", "a b b/a"},
		{"[a]?", "[a]? [a]?/x", "ax a"},
		{"café", "café caf\u00e9/x", "cafe\u0301 CAFÉ"},
	} {
		for p := range strings.FieldsSeq(tt.within) {
			wantRefused(t, tt.entry+" for "+p, Path(p, inPaths(tt.entry)), false, "")
		}
		for p := range strings.FieldsSeq(tt.outside) {
			wantRefused(t, tt.entry+" for "+p, Path(p, inPaths(tt.entry)), true, tool.PathNotAllowed)
		}
	}
	wantRefused(t, "the empty path", Path("", inPaths("notes")), true, tool.PathNotAllowed)
	wantRefused(t, "a NUL", Path("notes/\x00", inPaths("notes")), true, tool.PathNotAllowed)
}

func TestPathWithinEveryScope(t *testing.T) {
	t.Parallel()
	definition, rule, token := inPaths("workspace"), inPaths("notes", "drafts"), inPaths("*/2026", "drafts/a.md")
	none := tool.Scopes{Hosts: []string{"example.com"}}
	for p, refused := range map[string]bool{
		"notes/2026/a": false, "drafts/a.md": false, "drafts/2026": false,
		"notes/a": true, "other/2026": true, "drafts/b.md": true,
	} {
		wantRefused(t, p, Path(p, definition, rule, none, token), refused, tool.PathNotAllowed)
	}
	wantRefused(t, "disjoint scopes", Path("a", inPaths("a"), inPaths("b")), true, tool.PathNotAllowed)
	wantRefused(t, "only a bad entry", Path("a", inPaths("../a")), true, tool.PathNotAllowed)
	if AnyPath(definition, rule) || AnyPath(inPaths("**/")) || !AnyPath() || !AnyPath(definition, none, inPaths("x", ".")) {
		t.Error("AnyPath must be true for no list and lists with the whole workspace, and for nothing else")
	}
}

func TestWayAndTree(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ entry, p, want string }{
		{"a/b/c", ".", "way"},
		{"a/b/c", "a/b", "way"},
		{"a/b/c", "a/b/c", "way path tree"},
		{"a/b/c", "a/b/c/d", "way path tree"},
		{"a/b/c", "a/x", ""},
		{"a/b/c", "b", ""},
		{"a/*.md", "a", "way"},
		{"a/*.md", "a/b.md", "way path"},
		{"a/*.md", "a/b.md/c", ""},
		{"a/**", "a", "way path tree"},
		{"a/**", "a/b", "way path tree"},
		{"a/**", "b", ""},
		{"**/x", "anything/at/all", "way"},
		{"**/x", "a/x/b", "way path tree"},
		{"workspace", ".", "way path tree"},
		{"a", "../a", ""},
	} {
		var got []string
		for _, f := range []struct {
			name string
			err  error
		}{{"way", Way(tt.p, inPaths(tt.entry))}, {"path", Path(tt.p, inPaths(tt.entry))}, {"tree", Tree(tt.p, inPaths(tt.entry))}} {
			if f.err == nil {
				got = append(got, f.name)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s for %s: %q, want %q", tt.entry, tt.p, got, tt.want)
		}
	}
}

// Many stars must not make a match slow: a naive match would try exponentially many
// ways.
func TestPathManyStars(t *testing.T) {
	t.Parallel()
	entry := strings.Repeat("**/*a*a*a/", 15) + "z"
	p := strings.Repeat("aaaaaaaaaaaaaaaa/", 200) + "b"
	wantRefused(t, "a path of 200 names", Path(p, inPaths(entry)), true, tool.PathNotAllowed)
}

func FuzzPath(f *testing.F) {
	f.Add("notes/*.md", "notes/a.md")
	f.Add("**/a/**", "../a/b")
	f.Fuzz(func(t *testing.T, entry, p string) {
		within := inPaths(entry)
		err := Path(p, within)
		switch {
		case err == nil && !AnyPath(within) && (strings.HasPrefix(p, "/") || strings.HasPrefix(p, "../") || Check(within) != nil):
			t.Errorf("Path(%q) is within %q", p, entry)
		case err == nil && (Way(p, within) != nil):
			t.Errorf("%q is within %q and not on the way", p, entry)
		case Tree(p, within) == nil && err != nil:
			t.Errorf("all of %q is within %q and it is not", p, entry)
		}
	})
}
