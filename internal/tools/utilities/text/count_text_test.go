package text

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCountText(t *testing.T) {
	tooltest.Run(t, Set, "count_text", tool.Call{}, []tooltest.Case{
		{
			Name: "sentences", Args: `{"text":"Hello world. This is a test."}`,
			Want: `{"characters":28,"charactersNoSpaces":23,"words":6,"sentences":2,"paragraphs":1,"lines":1,"readingTimeMinutes":1}`,
		},
		{
			Name: "marks in a row", Args: `{"text":"Really?! Yes!!! Okay..."}`,
			Want: `{"characters":23,"charactersNoSpaces":21,"words":3,"sentences":3,"paragraphs":1,"lines":1,"readingTimeMinutes":1}`,
		},
		{
			Name: "lines", Args: `{"text":"line1\nline2\nline3"}`,
			Want: `{"characters":17,"charactersNoSpaces":15,"words":3,"sentences":1,"paragraphs":1,"lines":3,"readingTimeMinutes":1}`,
		},
		{
			Name: "paragraphs", Args: `{"text":"A title\n\nFirst one.\r\n\r\nSecond one\n \t\n\n"}`,
			Want: `{"characters":38,"charactersNoSpaces":24,"words":6,"sentences":3,"paragraphs":3,"lines":8,"readingTimeMinutes":1}`,
		},
		{
			Name: "nothing", Args: `{"text":""}`,
			Want: `{"characters":0,"charactersNoSpaces":0,"words":0,"sentences":0,"paragraphs":0,"lines":1,"readingTimeMinutes":0}`,
		},
		{
			Name: "blanks", Args: `{"text":" \n\t "}`,
			Want: `{"characters":4,"charactersNoSpaces":0,"words":0,"sentences":0,"paragraphs":0,"lines":2,"readingTimeMinutes":0}`,
		},
		{
			Name: "Chinese", Args: `{"text":"你好，世界。我爱 Go 语言！"}`,
			Want: `{"characters":15,"charactersNoSpaces":13,"words":9,"sentences":2,"paragraphs":1,"lines":1,"readingTimeMinutes":1}`,
		},
		{
			Name: "contractions and compounds", Args: `{"text":"Don't split well-known words."}`,
			Want: `{"characters":29,"charactersNoSpaces":26,"words":4,"sentences":1,"paragraphs":1,"lines":1,"readingTimeMinutes":1}`,
		},
		{
			Name: "no ends", Args: `{"text":"Dr. Who paid $3.14 at example.com, e.g. for tea. \"Nice!\" he said"}`,
			Want: `{"characters":64,"charactersNoSpaces":53,"words":12,"sentences":3,"paragraphs":1,"lines":1,"readingTimeMinutes":1}`,
		},
		{
			Name: "emoji", Args: `{"text":"👋🏽 hi"}`,
			Want: `{"characters":5,"charactersNoSpaces":4,"words":2,"sentences":1,"paragraphs":1,"lines":1,"readingTimeMinutes":1}`,
		},
		{
			Name: "reading time", Args: `{"text":"` + strings.Repeat("word ", 401) + `"}`,
			Want: `{"characters":2005,"charactersNoSpaces":1604,"words":401,"sentences":1,"paragraphs":1,"lines":1,"readingTimeMinutes":3}`,
		},
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
		{Name: "a number", Args: `{"text":7}`, Fails: tool.ValidationError, Message: "text"},
	})
}
