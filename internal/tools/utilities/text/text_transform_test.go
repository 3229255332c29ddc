package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestTextTransform(t *testing.T) {
	tooltest.Run(t, Set, "text_transform", tool.Call{}, append(transformCases(), tooltest.Case{
		Name: "unknown", Args: `{"text":"abc","operation":"rot13"}`, Fails: tool.ValidationError, Message: "operation",
	}))
}
