package utilities

import (
	"context"
	"errors"
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
		{Name: "top", Args: `{"text":"b a b c","top":1}`, Want: `{"words":4,"uniqueWords":3,"averageLength":1,"longestWord":"b","mostFrequent":[{"word":"b","count":2}]}`},
		{Name: "empty", Args: `{"text":""}`, Want: `{"words":0,"uniqueWords":0,"averageLength":0,"longestWord":"","mostFrequent":[]}`},
		{Name: "no words", Args: `{"text":" -- ... \n !?"}`, Want: `{"words":0,"uniqueWords":0,"averageLength":0,"longestWord":"","mostFrequent":[]}`},
		{Name: "long word", Args: `{"text":"` + strings.Repeat("x", 1000) + `"}`, Check: field("longestWord", `"`+strings.Repeat("x", 200)+`"`)},
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

func TestNextWord(t *testing.T) {
	for text, want := range map[string]string{
		"don't stop": "don't|stop", "well-known  fact": "well-known|fact", "pi is 3.14, or 1,000.": "pi|is|3.14|or|1,000", "end.Next": "end|Next", "'quoted'": "quoted", "a - b": "a|b", "dogs' tails": "dogs|tails",
		"snake_case x2": "snake_case|x2", "naïve façade": "naïve|façade", "e\u0301te\u0301": "e\u0301te\u0301", "Привет, мир": "Привет|мир", "\u6211\u7231Go\u8bed": "\u6211|\u7231|Go|\u8bed", "\u306e\u30ab word": "\u306e|\u30ab|word", "안녕 세상": "안녕|세상", "#tag @me 50%": "tag|me|50", "a\xffb": "a|b", "it’s": "it’s",
	} {
		var words []string
		for rest := text; ; {
			word, after := nextWord(rest)
			if word == "" {
				break
			}
			words, rest = append(words, word), after
		}
		if got := strings.Join(words, "|"); got != want {
			t.Errorf("%q = %s, want %s", text, got, want)
		}
	}
}

func FuzzNextWord(f *testing.F) {
	for _, seed := range []string{"don't stop", "3.14-15", "\u6211Go-\u8bed", "\xff'a", "a\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for rest := text; ; {
			word, after := nextWord(rest)
			if word == "" {
				return
			}
			if len(word)+len(after) > len(rest) || !strings.HasSuffix(rest, word+after) || utf8.ValidString(text) && !utf8.ValidString(word) {
				t.Fatalf("%q begins with %q and goes on with %q", rest, word, after)
			}
			rest = after
		}
	})
}
