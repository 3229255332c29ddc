package desktop

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestClipboardWrite(t *testing.T) {
	d := newDesk(t, map[string]string{
		"xclip": `case "$*" in *-out*) exec cat "$HOME/copied" ;; esac; cat >"$HOME/copied"; echo "$@" >"$HOME/args"`,
	})
	for text, want := range map[string]string{"": `{"written":true,"length":0}`, `ünï $(id) -x`: `{"written":true,"length":12}`} {
		tooltest.Run(t, Set, "clipboard.write", d.call(t, nil), []tooltest.Case{{Name: text, Args: `{"text":"` + text + `"}`, Want: want}})
		if got := d.said("copied"); got != text {
			t.Errorf("copied %q, want %q", got, text)
		}
		if got := d.said("args"); strings.Contains(got, "id") {
			t.Errorf("the text is among the arguments: %q", got)
		}
	}
	tooltest.Run(t, Set, "clipboard.write", d.call(t, nil), []tooltest.Case{
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
		{Name: "type", Args: `{"text":{"a":1}}`, Fails: tool.ValidationError, Message: "text"},
	})
	tooltest.Run(t, Set, "clipboard.write", (*desk)(nil).call(t, nil), []tooltest.Case{
		{Name: "headless", Args: `{"text":"x"}`, Fails: tool.NotConfigured, Message: "There is no desktop here"},
	})
	killed := newDesk(t, map[string]string{"xclip": `kill -9 $$`})
	tooltest.Run(t, Set, "clipboard.write", killed.call(t, nil), []tooltest.Case{
		{Name: "broken", Args: `{"text":"x"}`, Fails: tool.ExecutionError, Message: "could not be run"},
	})
}
