package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExtractURLs(t *testing.T) {
	tooltest.Run(t, Set, "extract_urls", tool.Call{}, []tooltest.Case{
		{
			Name: "all",
			Args: `{"text":"See https://example.com/a, then www.example.org. https://example.com/a"}`,
			Want: `{"urls":["https://example.com/a","www.example.org"],"count":2,"total":2,"truncated":false}`,
		},
		{
			Name: "repeated",
			Args: `{"text":"http://a.b http://a.b","unique":false}`,
			Want: `{"urls":["http://a.b","http://a.b"],"count":2,"total":2,"truncated":false}`,
		},
		{
			Name: "a list without spaces",
			Args: `{"text":"https://a.com,https://b.com;www.c.com,d https://e.org/x,y;z"}`,
			Want: `{"urls":["https://a.com","https://b.com","www.c.com,d","https://e.org/x,y;z"],"count":4,"total":4,"truncated":false}`,
		},
		{Name: "none", Args: `{"text":""}`, Want: `{"urls":[],"count":0,"total":0,"truncated":false}`},
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
	})
}
