package difference_test

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/consent/difference"
	"github.com/helve-dev/helve/protocol"
)

func TestOf(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	const sum = "e3b0"
	for name, tt := range map[string]struct {
		change protocol.Change
		want   string
	}{
		"changed": {
			protocol.Change{Path: "a.txt", OldSHA256: sum, Old: text("one\ntwo\nthree\n"), New: text("one\n2\nthree\n")},
			"a.txt: changes\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
		},
		"new":        {protocol.Change{Path: "a.txt", New: text("one\n")}, "a.txt: is new\n@@ -0,0 +1,1 @@\n+one\n"},
		"gone":       {protocol.Change{Path: "a.txt", OldSHA256: sum, Old: text("one\n")}, "a.txt: goes, or is replaced by what nobody knows yet\n@@ -1,1 +0,0 @@\n-one\n"},
		"the same":   {protocol.Change{Path: "a.txt", OldSHA256: sum, Old: text("one"), New: text("one")}, "a.txt: stays as it is\n"},
		"data":       {protocol.Change{Path: "a.png", OldSHA256: sum}, "a.png: changes, and is not text\n"},
		"over data":  {protocol.Change{Path: "a", OldSHA256: sum, New: text("x")}, "a: replaces what is not text\n@@ -0,0 +1,1 @@\n+x\n"},
		"directory":  {protocol.Change{Path: "old"}, "old: changes, with everything in it\n"},
		"left out":   {protocol.Change{Path: "a", OldSHA256: sum, Cut: true}, "a: changes; the difference is in the request itself\n"},
		"a part":     {protocol.Change{Path: "a", Cut: true, New: text("x\n")}, "a: is new (a part of it)\n@@ -0,0 +1,1 @@\n+x\n"},
		"deceptive":  {protocol.Change{Path: "a\nb", New: text("x\r\u202e\x1b[2Jy\n")}, "a\\nb: is new\n@@ -0,0 +1,1 @@\n+x\\r\\u202e\\u001b[2Jy\n"},
		"two places": {protocol.Change{Path: "a", OldSHA256: sum, Old: text("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), New: text("x\n2\n3\n4\n5\n6\n7\n8\ny\n")}, "a: changes\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n"},
	} {
		if got := difference.Of([]protocol.Change{tt.change}, 1<<10); got != tt.want {
			t.Errorf("%s: Of = %q, want %q", name, got, tt.want)
		}
	}
	long := []protocol.Change{{Path: "a", New: text(strings.Repeat("line\n", 1000))}}
	got := difference.Of(long, 100)
	if !strings.HasPrefix(got, "a: is new\n@@ -0,0 +1,1000 @@\n+line\n") || !strings.HasSuffix(got, "+line\n… the rest of the difference is too long to be shown here …\n") || len(got) > 200 {
		t.Errorf("a long difference is %q, want its beginning and a note", got)
	}
	if got := difference.Of(nil, 100); got != "" {
		t.Errorf("no changes are %q, want nothing", got)
	}
}
