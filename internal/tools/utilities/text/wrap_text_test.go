package text

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestWrapText(t *testing.T) {
	tooltest.Run(t, Set, "wrap_text", tool.Call{}, []tooltest.Case{
		{
			Name: "words", Args: `{"text":"The quick brown fox jumps over the lazy dog","width":20}`,
			Want:     `{"output":"The quick brown fox\njumps over the lazy\ndog","lines":3,"width":20}`,
			WantText: "The quick brown fox\njumps over the lazy\ndog",
		},
		{Name: "own breaks stay", Args: `{"text":"a b\r\n\r\nc d","width":3}`, WantText: "a b\n\nc d"},
		{Name: "indent", Args: `{"text":"aa bb cc","width":7,"indent":"> "}`, WantText: "> aa bb\n> cc"},
		{Name: "long word", Args: `{"text":"a abcdefghij b","width":4}`, WantText: "a\nabcd\nefgh\nij b"},
		{Name: "long word stands out", Args: `{"text":"a abcdefghij b","width":4,"breakLongWords":false}`, WantText: "a\nabcdefghij\nb"},
		{Name: "blanks before a long word", Args: `{"text":"   abcdefg","width":5}`, WantText: "abcde\nfg"},
		{Name: "nothing to see before a long word", Args: `{"text":"\u0007\tabcdefg","width":5}`, WantText: "\a\nabcde\nfg"},
		{Name: "Chinese", Args: `{"text":"你好世界你好","width":5}`, WantText: "你好\n世界\n你好"},
		{Name: "flags stay whole", Args: `{"text":"🇫🇷🇩🇪🇮🇹","width":4}`, WantText: "🇫🇷🇩🇪\n🇮🇹"},
		{
			Name: "addresses stay whole", Args: `{"text":"see https://example.com/a-b/c?d=e or www.a-b.org/x/y","width":12,"breakLongWords":false}`,
			WantText: "see\nhttps://example.com/a-b/c?d=e\nor\nwww.a-b.org/x/y",
		},
		{
			Name: "options and paths", Args: `{"text":"git commit --amend -m a/b/c well-known","width":11}`,
			WantText: "git commit\n--amend -m\na/b/c well-\nknown",
		},
		{Name: "an address without end",
			Args: `{"text":"` + strings.Repeat("a/", 100_000) + `://` + strings.Repeat("-a", 100_000) + `","width":5,"breakLongWords":false}`,
			Check: func(t *testing.T, res tool.Result) {
				if !strings.HasSuffix(string(res.Value), `"lines":1,"width":5}`) {
					t.Errorf("result ends in %s", res.Value[len(res.Value)-80:])
				}
			}},
		{Name: "nothing", Args: `{"text":""}`, Want: `{"output":"","lines":1,"width":80}`},
		{Name: "indent too wide", Args: `{"text":"a","width":2,"indent":"--"}`, Fails: tool.ValidationError, Message: "leaves no column"},
		{Name: "width", Args: `{"text":"a","width":0}`, Fails: tool.ValidationError, Message: "width"},
		{
			Name:  "indents without end",
			Args:  `{"text":"` + strings.Repeat(`\n`, 50_000) + `","width":200,"indent":"` + strings.Repeat("x", 100) + `"}`,
			Fails: tool.ValidationError, Message: "longer than",
		},
	})
}

func TestWrapTextCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := wrapText(ctx, nil, wrapTextArgs{Text: "a", Width: 5}); !errors.Is(err, context.Canceled) {
		t.Errorf("wrapText in a cancelled call: error %v, want %v", err, context.Canceled)
	}
}

func FuzzWrapText(f *testing.F) {
	f.Add("The quick 你好 foxes", 7)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 2 + max(width, -width)%50
		res, err := wrapText(t.Context(), nil, wrapTextArgs{Text: text, Width: width})
		if err != nil {
			t.Fatal(err)
		}
		bare := func(s string) string { return strings.Join(strings.FieldsFunc(s, textcount.IsBlank), "") }
		if bare(res.Output) != bare(text) {
			t.Errorf("wrapText(%q, %d) = %q lost or added something", text, width, res.Output)
		}
	})
}
