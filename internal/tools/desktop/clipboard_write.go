package desktop

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

type clipboardWriteArgs struct {
	Text string `json:"text" doc:"Text to put into the clipboard; an empty one clears it."`
}

type clipboardWriteResult struct {
	Written bool `json:"written"`
	Length  int  `json:"length" doc:"Characters written."`
}

var _ = tool.Add(Set, tool.Spec[clipboardWriteArgs, clipboardWriteResult]{
	Name: "clipboard.write",
	Description: "Put text into the clipboard of the person's desktop, for them to paste where they like, in place of what was there; " +
		"returns that it was written.",
	Tags:       []string{"clipboard", "copy", "desktop", "paste"},
	Pool:       pool,
	Risk:       tool.Low,
	Mutates:    true,
	Idempotent: true,
	Needs:      tool.NeedDesktop,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:    `{"text":"Helve"}`,
	Timeout:    10 * time.Second,
	Run:        clipboardWrite,
})

func clipboardWrite(ctx context.Context, call *tool.Call, args clipboardWriteArgs) (clipboardWriteResult, error) {
	if err := call.Desktop.WriteClipboard(ctx, args.Text); err != nil {
		return clipboardWriteResult{}, err
	}
	return clipboardWriteResult{Written: true, Length: utf8.RuneCountInString(args.Text)}, nil
}
