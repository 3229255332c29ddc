package utilities

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGenerateLoremIpsum(t *testing.T) {
	sized := func(paragraphs, sentences, words int, beginning string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			var got loremResult
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			actual := loremResult{
				Text: got.Text, Paragraphs: strings.Count(got.Text, "\n\n") + 1,
				Sentences: max(strings.Count(got.Text, "."), 1), Words: len(strings.Fields(got.Text)),
			}
			if got != actual || !strings.HasPrefix(got.Text, beginning) || res.Text != got.Text {
				t.Errorf("%+v, want the size to be %+v and the text to begin with %q", got, actual, beginning)
			}
			if got.Paragraphs != paragraphs || sentences > 0 && got.Sentences != sentences || words > 0 && got.Words != words {
				t.Errorf("%d, %d, %d paragraphs, sentences, words, want %d, %d, %d",
					got.Paragraphs, got.Sentences, got.Words, paragraphs, sentences, words)
			}
			for sentence := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(got.Text, "\n\n", " "), "."), ". ") {
				if !regexp.MustCompile(`^[A-Z][a-z]*( [a-z]+)*$`).MatchString(sentence) {
					t.Errorf("%q is no sentence", sentence)
				}
			}
		}
	}
	const lorem = "Lorem ipsum dolor sit amet consectetur"
	tooltest.Run(t, Set, "generate_lorem_ipsum", tool.Call{}, []tooltest.Case{
		{Name: "defaults", Args: `{}`, Check: sized(1, 0, 0, lorem)},
		{Name: "paragraphs", Args: `{"count":3}`, Check: sized(3, 0, 0, lorem)},
		{Name: "sentences", Args: `{"count":4,"unit":"sentences"}`, Check: sized(1, 4, 0, lorem)},
		{Name: "words", Args: `{"count":20,"unit":"words"}`, Check: sized(1, 1, 20, lorem)},
		{Name: "few words", Args: `{"count":2,"unit":"words"}`, Want: `{"text":"Lorem ipsum","paragraphs":1,"sentences":1,"words":2}`},
		{Name: "one word", Args: `{"count":0,"unit":"words"}`, Want: `{"text":"Lorem","paragraphs":1,"sentences":1,"words":1}`},
		{Name: "no opening", Args: `{"count":2,"unit":"sentences","startWithLorem":false}`, Check: sized(1, 2, 0, "")},
		{Name: "most words", Args: `{"count":99999,"unit":"words"}`, Check: sized(1, 1, 5000, lorem)},
		{Name: "most paragraphs", Args: `{"count":99999}`, Check: sized(50, 0, 0, lorem)},
		{Name: "most sentences", Args: `{"count":99999,"unit":"sentences"}`, Check: sized(1, 500, 0, lorem)},
		{Name: "unit", Args: `{"unit":"pages"}`, Fails: tool.ValidationError, Message: "unit"},
		{Name: "count", Args: `{"count":"many"}`, Fails: tool.ValidationError, Message: "count"},
	})
}
