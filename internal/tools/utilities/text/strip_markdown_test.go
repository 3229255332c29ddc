package text

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestStripMarkdown(t *testing.T) {
	tooltest.Run(t, Set, "strip_markdown", tool.Call{}, []tooltest.Case{
		{
			Name: "common", Args: `{"text":"# Title\n\nSome **bold**, *em*, ~~old~~ and [a link](https://example.com).\nNext  \nline\n\n- a\n- b\n  - c\n\n1. d\n\n> q\n\n---\n\n` + "`x*y*`" + ` ![logo](l.png) <https://a.b> https://c.d"}`,
			Want: `{"text":"Title\n\nSome bold, em, old and a link.\nNext\nline\n\na\nb\nc\n\nd\n\nq\n\nx*y* logo https://a.b https://c.d"}`,
		},
		{
			Name:     "code",
			Args:     `{"text":"` + "```go\\nif a < b {\\n}\\n```\\n\\n    indented *x*" + `"}`,
			WantText: "if a < b {\n}\n\nindented *x*",
		},
		{
			Name:     "escapes and entities",
			Args:     `{"text":"\\*a\\* &amp; &lt;b&gt; \\&amp; snake_case_name 2 * 3"}`,
			WantText: "*a* & <b> &amp; snake_case_name 2 * 3",
		},
		{Name: "table", Args: `{"text":"|a|**b**|\n|-|-|\n|1||"}`, WantText: "a\tb\n1\t"},
		{Name: "tasks", Args: `{"text":"- [x] done\n\n- [ ] open"}`, WantText: "done\n\nopen"},
		{
			Name:     "raw HTML",
			Args:     `{"text":"a <b>b</b><br>\n\n<div class=\"x\">\nc &amp; d\n<script>e()</script><!-- f --></div>"}`,
			WantText: "a b\n\nc & d",
		},
		{Name: "plain", Args: `{"text":"just words"}`, Want: `{"text":"just words"}`},
		{Name: "nothing", Args: `{"text":" \n"}`, Want: `{"text":""}`},
		{Name: "too deep", Args: `{"text":"` + strings.Repeat(">", 5000) + `"}`, Fails: tool.ValidationError, Message: "nests too deeply"},
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
	})
}
