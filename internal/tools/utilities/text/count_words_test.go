package text

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCountWords(t *testing.T) {
	tooltest.Run(t, Set, "count_words", tool.Call{}, []tooltest.Case{
		{
			Name: "sentence", Args: `{"text":"The quick fox and the lazy dog, the end."}`,
			Want: `{"words":9,"uniqueWords":7,"averageLength":3.33,"longestWord":"quick","mostFrequent":[{"word":"the","count":3},{"word":"and","count":1},{"word":"dog","count":1},{"word":"end","count":1},{"word":"fox","count":1},{"word":"lazy","count":1},{"word":"quick","count":1}]}`,
		},
		{
			Name: "top",
			Args: `{"text":"b a b c","top":1}`,
			Want: `{"words":4,"uniqueWords":3,"averageLength":1,"longestWord":"b","mostFrequent":[{"word":"b","count":2}]}`,
		},
		{Name: "empty", Args: `{"text":""}`, Want: `{"words":0,"uniqueWords":0,"averageLength":0,"longestWord":"","mostFrequent":[]}`},
		{
			Name: "punctuation",
			Args: `{"text":" -- ... \n !?"}`,
			Want: `{"words":3,"uniqueWords":0,"averageLength":0,"longestWord":"","mostFrequent":[]}`,
		},
		{
			Name:  "long word",
			Args:  `{"text":"` + strings.Repeat("x", 1000) + `"}`,
			Check: hasField("longestWord", `"`+strings.Repeat("x", 200)+`"`),
		},
		{Name: "most of top", Args: `{"text":"` + manyWords(150) + `","top":999}`, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			if n := strings.Count(string(res.Value), `"word"`); n != 100 {
				t.Errorf("%d words, want 100", n)
			}
		}},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
		{Name: "type", Args: `{"text":5}`, Fails: tool.ValidationError, Message: "text"},
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := countWords(ctx, nil, countWordsArgs{Text: "a b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that the call was cancelled", err)
	}
}

func manyWords(n int) string {
	var w strings.Builder
	for i := range n {
		w.WriteString(strings.Repeat("a", i+1) + " ")
	}
	return w.String()
}

func TestWordsIn(t *testing.T) {
	for text, want := range map[string]string{
		"don't stop": "don't|stop", "well-known  fact": "well-known|fact", "pi is\n3.14,\tor 1,000.": "pi|is|3.14,|or|1,000.",
		"me@example.com": "me@example.com", "a - b": "a|-|b", " \u00a0x\u2003y": "x|y",
		"\u6211\u7231Go\u8bed": "\u6211|\u7231|Go|\u8bed", "\u306e\u30ab\u3002 word": "\u306e|\u30ab|word",
		"\uc548\ub155 \uc138\uc0c1": "\uc548\ub155|\uc138\uc0c1", "a\xffb": "a\xffb", "": "",
	} {
		if got := strings.Join(slices.Collect(wordsIn(text)), "|"); got != want {
			t.Errorf("%q = %s, want %s", text, got, want)
		}
	}
	for word := range wordsIn("first second \u6211\u7231") {
		if word != "first" {
			t.Errorf("%q after the loop ended", word)
		}
		break
	}
}

func FuzzCountWords(f *testing.F) {
	for _, seed := range []string{"don't stop", "3.14-15 --", "\u6211Go-\u8bed\u3002", "\xff'a", "a\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		res, err := countWords(t.Context(), nil, countWordsArgs{Text: text})
		if err != nil || res.UniqueWords > res.Words || res.Words > len(text) || !utf8.ValidString(res.LongestWord) {
			t.Errorf("%q: %+v, %v", text, res, err)
		}
	})
}
