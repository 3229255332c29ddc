package desktop

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestClipboardRead(t *testing.T) {
	copied := newDesk(t, map[string]string{"xclip": `printf 'ünï\n"x"'`})
	tooltest.Run(t, Set, "clipboard.read", copied.call(t, nil), []tooltest.Case{
		{Name: "text", Args: `{}`, Want: `{"text":"ünï\n\"x\"","length":7}`, WantText: "ünï\n\"x\""},
		{Name: "unknown parameters", Args: `{"format":"text"}`, Want: `{"text":"ünï\n\"x\"","length":7}`},
		{Name: "no object", Args: `[]`, Fails: tool.ValidationError},
	})
	empty := newDesk(t, map[string]string{"xclip": `echo "Error: target STRING not available" >&2; exit 1`})
	tooltest.Run(t, Set, "clipboard.read", empty.call(t, nil), []tooltest.Case{
		{Name: "nothing", Args: `{}`, Want: `{"text":"","length":0}`},
	})
	long := newDesk(t, map[string]string{"xclip": `head -c 1048575 /dev/zero | tr '\0' x; printf 'ü and more'`})
	tooltest.Run(t, Set, "clipboard.read", long.call(t, nil), []tooltest.Case{
		{Name: "long", Args: `{}`, Check: func(t *testing.T, res tool.Result) {
			if !res.Truncated || res.Metadata["bytes"] != 1048575+11 || len(res.Text) != 1048575 {
				t.Errorf("%d bytes, truncated %v, metadata %v; want whole characters within 1 MiB and the full size",
					len(res.Text), res.Truncated, res.Metadata)
			}
		}},
	})
	tooltest.Run(t, Set, "clipboard.read", (*desk)(nil).call(t, nil), []tooltest.Case{
		{Name: "headless", Args: `{}`, Fails: tool.NotConfigured, Message: "There is no desktop here"},
	})
	killed := newDesk(t, map[string]string{"xclip": `kill -9 $$`})
	tooltest.Run(t, Set, "clipboard.read", killed.call(t, nil), []tooltest.Case{
		{Name: "broken", Args: `{}`, Fails: tool.ExecutionError, Message: "could not be run"},
	})
}
