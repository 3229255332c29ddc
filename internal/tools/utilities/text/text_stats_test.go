package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestTextStats(t *testing.T) {
	tooltest.Run(t, Set, "text_stats", tool.Call{}, []tooltest.Case{
		{
			Name: "all", Args: `{"text":"The cat sat. The dog, a big DOG, ran!","topWords":2}`,
			Want: `{"characters":37,"charactersNoSpaces":29,"words":9,"sentences":2,"paragraphs":1,"lines":1,"readingTimeMinutes":1,
				"uniqueWords":7,"averageWordLength":2.78,"averageSentenceLength":4.5,"longestWord":"The",
				"topWords":[{"word":"dog","count":2},{"word":"the","count":2}]}`,
		},
		{
			Name: "nothing", Args: `{"text":"... --"}`,
			Want: `{"characters":6,"charactersNoSpaces":5,"words":2,"sentences":0,"paragraphs":1,"lines":1,"readingTimeMinutes":1,
				"uniqueWords":0,"averageWordLength":0,"averageSentenceLength":0,"longestWord":"","topWords":[]}`,
		},
		{Name: "too many words", Args: `{"text":"a","topWords":101}`, Fails: tool.ValidationError, Message: "topWords"},
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
	})
}
