package desktop

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestAppsOpen(t *testing.T) {
	d := newDesk(t, map[string]string{"editor": `echo "$@" >"$HOME/opened"; exit 0`, "broken": "exit 1", "evil": "exit 0"})
	apps := map[string][]string{"Editor": {"editor", "--new"}, "broken": nil, "gone": nil}
	tooltest.Run(t, Set, "apps.open", d.call(t, apps), []tooltest.Case{
		{Name: "opens", Args: `{"app":"Editor"}`, Want: `{"opened":true,"app":"Editor"}`},
		{Name: "with arguments", Args: `{"app":"Editor","args":["https://example.com"]}`, Want: `{"opened":true,"app":"Editor"}`},
		{Name: "not listed", Args: `{"app":"evil"}`, Fails: tool.PermissionDenied, Message: "may be opened: Editor, broken, gone"},
		{Name: "a path", Args: `{"app":"./evil"}`, Fails: tool.PermissionDenied},
		{Name: "an option", Args: `{"app":"Editor","args":["--exec=evil"]}`, Fails: tool.ValidationError, Message: "must not begin with -"},
		{Name: "no app", Args: `{}`, Fails: tool.ValidationError, Message: "app"},
		{Name: "empty", Args: `{"app":""}`, Fails: tool.ValidationError, Message: "app"},
		{Name: "not installed", Args: `{"app":"gone"}`, Fails: tool.NotConfigured, Message: "gone is not installed"},
		{Name: "broken", Args: `{"app":"broken"}`, Fails: tool.ExecutionError, Message: "ended with an error"},
	})
	if got, want := d.said("opened"), "--new https://example.com\n"; got != want {
		t.Errorf("the application was opened with %q, want %q", got, want)
	}
	tooltest.Run(t, Set, "apps.open", d.call(t, apps, tool.Scopes{Apps: []string{"gone"}}), []tooltest.Case{
		{Name: "outside the scopes", Args: `{"app":"Editor"}`, Fails: tool.PermissionDenied, Message: "outside what this call may use"},
	})
	tooltest.Run(t, Set, "apps.open", d.call(t, nil), []tooltest.Case{
		{Name: "no list", Args: `{"app":"Editor"}`, Fails: tool.NotConfigured, Message: "desktop.apps: ["},
	})
	tooltest.Run(t, Set, "apps.open", (*desk)(nil).call(t, apps), []tooltest.Case{
		{Name: "headless", Args: `{"app":"Editor"}`, Fails: tool.NotConfigured, Message: "There is no desktop here"},
	})
}
