package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExtractEmails(t *testing.T) {
	tooltest.Run(t, Set, "extract_emails", tool.Call{}, []tooltest.Case{
		{
			Name: "all",
			Args: `{"text":"Write to ann@example.com or bob@example.org, ann@example.com."}`,
			Want: `{"emails":["ann@example.com","bob@example.org"],"count":2,"total":2,"truncated":false}`,
		},
		{
			Name: "repeated",
			Args: `{"text":"a@b.cc a@b.cc","unique":false}`,
			Want: `{"emails":["a@b.cc","a@b.cc"],"count":2,"total":2,"truncated":false}`,
		},
		{Name: "none", Args: `{"text":"@ann"}`, Want: `{"emails":[],"count":0,"total":0,"truncated":false}`},
		{Name: "no text", Args: `{"text":null}`, Fails: tool.ValidationError, Message: "text"},
	})
}
