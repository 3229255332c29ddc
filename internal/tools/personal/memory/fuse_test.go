package memory

import (
	"slices"
	"strings"
	"testing"
)

func TestFuse(t *testing.T) {
	for _, tt := range []struct{ lists, want string }{
		{"", ""},
		{"a b c", "a b c"},
		{"a b c/", "a b c"},
		{"/a b", "a b"},
		{"a b c/c d", "c a b d"},
		{"a b/b a", "a b"},
		{"a/b", "a b"},
		{"a b c d/x d", "d a x b c"},
	} {
		var lists [][]string
		for list := range strings.SplitSeq(tt.lists, "/") {
			lists = append(lists, strings.Fields(list))
		}
		if got := fuse(lists...); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("fuse(%s) = %q, want %s", tt.lists, got, tt.want)
		}
	}
}
