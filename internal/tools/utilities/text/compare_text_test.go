package text

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/textdiff"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// hasField checks one field of a result, as JSON.
func hasField(name, want string) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		var object map[string]json.RawMessage
		if err := json.Unmarshal(res.Value, &object); err != nil || string(object[name]) != want {
			t.Errorf("%s = %s, want %s; error %v", name, object[name], want, err)
		}
	}
}

func TestCompareText(t *testing.T) {
	tooltest.Run(t, Set, "compare_text", tool.Call{}, []tooltest.Case{
		{Name: "line endings", Args: `{"text1":"a\r\nb\rc","text2":"a\nb\nc"}`, Check: hasField("identical", "true")},
		{Name: "line endings among characters", Args: `{"text1":"a\r\nb","text2":"a\nb","mode":"chars"}`, Check: hasField("commonCount", "3")},
		{
			Name:  "line endings that are asked for",
			Args:  `{"text1":"a\r\nb","text2":"a\nb","lineEndings":true}`,
			Check: hasField("removed", `["a\r"]`),
		},
		{
			Name: "equal", Args: `{"text1":"hello world","text2":"hello world"}`,
			Want: `{"identical":true,"similarity":100,"mode":"lines","text1Stats":{"count":1},"text2Stats":{"count":1},"added":[],"removed":[],"addedCount":0,"removedCount":0,"commonCount":1}`,
		},
		{Name: "nothing before", Args: `{"text1":"","text2":"a\nb","mode":"lines"}`, WantText: "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{Name: "nothing after", Args: `{"text1":"a","text2":"","mode":"lines"}`, WantText: "@@ -1,1 +0,0 @@\n-a\n"},
		{
			Name: "characters", Args: `{"text1":"abc","text2":"abd","mode":"chars"}`,
			Want: `{"identical":false,"similarity":66.67,"mode":"chars","text1Stats":{"count":3},"text2Stats":{"count":3},"added":["d"],"removed":["c"],"addedCount":1,"removedCount":1,"commonCount":2}`,
		},
		{
			Name: "lines", Args: `{"text1":"line1\nline2\nline3","text2":"line1\nline2\nline4","mode":"lines"}`,
			Want:     `{"identical":false,"similarity":66.67,"mode":"lines","text1Stats":{"count":3},"text2Stats":{"count":3},"added":["line4"],"removed":["line3"],"addedCount":1,"removedCount":1,"commonCount":2}`,
			WantText: "@@ -1,3 +1,3 @@\n line1\n line2\n-line3\n+line4\n",
		},
		{
			Name: "words", Args: `{"text1":"the  quick brown fox","text2":"the slow brown fox jumps\n","mode":"words"}`,
			Want: `{"identical":false,"similarity":60,"mode":"words","text1Stats":{"count":4},"text2Stats":{"count":5},"added":["slow","jumps"],"removed":["quick"],"addedCount":2,"removedCount":1,"commonCount":3}`,
		},
		{
			Name: "words without spaces", Args: `{"text1":"你好，世。","text2":"你好！世。","mode":"words"}`,
			Want: `{"identical":false,"similarity":80,"mode":"words","text1Stats":{"count":5},"text2Stats":{"count":5},"added":["！"],"removed":["，"],"addedCount":1,"removedCount":1,"commonCount":4}`,
		},
		{
			Name: "other spaces", Args: `{"text1":"a b","text2":"a  b","mode":"words"}`,
			Want: `{"identical":false,"similarity":100,"mode":"words","text1Stats":{"count":2},"text2Stats":{"count":2},"added":[],"removed":[],"addedCount":0,"removedCount":0,"commonCount":2}`,
		},
		{
			Name: "another order", Args: `{"text1":"a\nb\nc","text2":"b\nc\na"}`,
			Want: `{"identical":false,"similarity":66.67,"mode":"lines","text1Stats":{"count":3},"text2Stats":{"count":3},"added":["a"],"removed":["a"],"addedCount":1,"removedCount":1,"commonCount":2}`,
		},
		{
			Name: "nothing and something", Args: `{"text1":"","text2":"a"}`,
			Want: `{"identical":false,"similarity":0,"mode":"lines","text1Stats":{"count":0},"text2Stats":{"count":1},"added":["a"],"removed":[],"addedCount":1,"removedCount":0,"commonCount":0}`,
		},
		{
			Name: "nothing at all", Args: `{"text1":"","text2":"","mode":"chars"}`,
			Want: `{"identical":true,"similarity":100,"mode":"chars","text1Stats":{"count":0},"text2Stats":{"count":0},"added":[],"removed":[],"addedCount":0,"removedCount":0,"commonCount":0}`,
		},
		{
			Name: "what a reader sees", Args: `{"text1":"e\u0301👨‍👩‍👧","text2":"e👨‍👩‍👧","mode":"chars"}`,
			Want: `{"identical":false,"similarity":50,"mode":"chars","text1Stats":{"count":2},"text2Stats":{"count":2},"added":["e"],"removed":["e\u0301"],"addedCount":1,"removedCount":1,"commonCount":1}`,
		},
		{
			Name: "never 100 with a difference",
			Args: `{"text1":"` + strings.Repeat("a", 100_000) + `","text2":"` + strings.Repeat("a", 99_999) + `b","mode":"chars"}`,
			Want: `{"identical":false,"similarity":99.99,"mode":"chars","text1Stats":{"count":100000},"text2Stats":{"count":100000},"added":["b"],"removed":["a"],"addedCount":1,"removedCount":1,"commonCount":99999}`,
		},
		{
			Name: "parts far apart", Args: `{"text1":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11","text2":"0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\nx"}`,
			WantText: "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -8,4 +9,4 @@\n 8\n 9\n 10\n-11\n+x\n",
		},
		{
			Name: "long lists", Args: `{"text1":"` + strings.Repeat("a\\n", 1500) + `","text2":"b"}`,
			Check: func(t *testing.T, res tool.Result) {
				if !res.Truncated || res.Metadata["removed"] != 1501 || res.Metadata["added"] != 1 || len(res.Text) > 2*textdiff.MaxHunkText {
					t.Errorf("truncated %t, metadata %v, %d bytes of text", res.Truncated, res.Metadata, len(res.Text))
				}
			},
		},
		{
			Name: "one long line", Args: `{"text1":"` + strings.Repeat("ä", 100_000) + `","text2":"b"}`,
			Check: func(t *testing.T, res tool.Result) {
				if !strings.HasSuffix(res.Text, "(the difference goes on)\n") || len(res.Text) > textdiff.MaxHunkText+100 {
					t.Errorf("text of %d bytes ends in %q", len(res.Text), res.Text[len(res.Text)-40:])
				}
			},
		},
		{
			Name:    "mode",
			Args:    `{"text1":"a","text2":"b","mode":"sentences"}`,
			Fails:   tool.ValidationError,
			Message: "mode: must be one of: lines, words, chars",
		},
		{Name: "one text", Args: `{"text1":"a"}`, Fails: tool.ValidationError, Message: "text2"},
	})
}

func TestCompareTextCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := compareText(ctx, nil, compareTextArgs{Text1: "ab", Text2: "ba", Mode: "chars"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("compareText in a cancelled call: error %v, want %v", err, context.Canceled)
	}
}

// BenchmarkCompareText compares two texts of 1 MB in each mode, partly equal or
// completely different, which is the most work.
func BenchmarkCompareText(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(alphabet string) string {
		var w strings.Builder
		for w.Len() < 1<<20 {
			for range 1 + random.IntN(8) {
				w.WriteByte(alphabet[random.IntN(len(alphabet))])
			}
			w.WriteByte(" \n"[random.IntN(2)])
		}
		return w.String()
	}
	same := text("abcdefgh")
	edited := []byte(same)
	for range 5000 {
		edited[random.IntN(len(edited))] = 'z'
	}
	for name, texts := range map[string][2]string{
		"edited":  {same, string(edited)},
		"alike":   {text("ab"), text("ab")},
		"foreign": {text("abcd"), text("wxyz")},
	} {
		for _, mode := range []string{"lines", "words", "chars"} {
			args := compareTextArgs{Text1: texts[0], Text2: texts[1], Mode: mode}
			b.Run(name+"/"+mode, func(b *testing.B) {
				b.SetBytes(2 << 20)
				for b.Loop() {
					if _, err := compareText(b.Context(), nil, args); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
