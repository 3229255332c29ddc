package desktop

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// mostText limits the returned text of the clipboard, in bytes.
const mostText = 1 << 20

type clipboardReadArgs struct{}

type clipboardReadResult struct {
	Text   string `json:"text"`
	Length int    `json:"length" doc:"Characters in text."`

	size int // of the whole text
}

// Present shows the text, and adds a note if there is more.
func (r *clipboardReadResult) Present(res *tool.Result) {
	res.Text = r.Text
	if r.size > len(r.Text) {
		res.Truncated = true
		res.Metadata = map[string]any{"bytes": r.size}
	}
}

var _ = tool.Add(Set, tool.Spec[clipboardReadArgs, *clipboardReadResult]{
	Name: "clipboard.read",
	Description: "Read the text that the person has copied to the clipboard of their desktop, when they refer to it, and return it; " +
		"empty if it holds no text.",
	Tags: []string{"clipboard", "paste", "copied", "copy", "desktop", "selection"},
	Pool: pool,
	// The clipboard may hold text that was never meant for a model, such as a password.
	Risk:       tool.Medium,
	Mutates:    false,
	Idempotent: true,
	Needs:      tool.NeedDesktop,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:    `{}`,
	Timeout:    10 * time.Second,
	Run:        clipboardRead,
})

func clipboardRead(ctx context.Context, call *tool.Call, _ clipboardReadArgs) (*clipboardReadResult, error) {
	text, err := call.Desktop.ReadClipboard(ctx)
	if err != nil {
		return nil, err
	}
	res := &clipboardReadResult{Text: text, size: len(text)}
	if len(text) > mostText {
		res.Text = strings.ToValidUTF8(textcut.Head(text, mostText), "")
	}
	res.Length = utf8.RuneCountInString(res.Text)
	return res, nil
}
