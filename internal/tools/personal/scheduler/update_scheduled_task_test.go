package scheduler

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestUpdateScheduledTask(t *testing.T) {
	call := ann(t)
	id := hourly(t, call, "")
	for _, tt := range []struct{ more, changed, next string }{
		{
			`,"name":" Other ","description":"d","priority":"critical","notifyChannels":["a"],"missedRuns":"once"`,
			"name missedRuns priority description notifyChannels", "2026-11-23T09:00:00Z",
		},
		{`,"name":"Other","notifyChannels":["a"]`, "", "2026-11-23T09:00:00Z"},
		{`,"schedule":"0 9 * * *"`, "schedule", "2026-11-23T09:00:00Z"},
		{`,"timezone":"Europe/Berlin"`, "timezone", "2026-11-24T09:00:00+01:00"},
		{`,"enabled":false`, "enabled", ""},
		{`,"schedule":"every 5 minutes"`, "schedule", ""},
		{`,"enabled":true`, "enabled", "2026-11-23T09:05:00+01:00"},
	} {
		got := play[updateResult](t, call, "update_scheduled_task", quoted(id, tt.more))
		if changed := strings.Join(got.Changed, " "); changed != tt.changed || got.Task.NextRun != tt.next || !got.Success {
			t.Errorf("%s: changed %q, next %q, want %q, %q", tt.more, changed, got.Task.NextRun, tt.changed, tt.next)
		}
	}
	if all := looks(call); !slices.Equal(all[len(all)-1:], []time.Duration{5 * time.Minute}) {
		t.Errorf("looked at after %v, want 5m last", all)
	}
	tooltest.Run(t, Set, "update_scheduled_task", call, []tooltest.Case{
		{Name: "nothing", Args: quoted(id, ""), Fails: tool.ValidationError, Message: "nothing to change"},
		{Name: "blank name", Args: quoted(id, `,"name":" "`), Fails: tool.ValidationError, Message: "name is blank"},
		{Name: "each second", Args: quoted(id, `,"schedule":"* * * * * *"`), Fails: tool.ValidationError, Message: "each minute at most"},
		{Name: "never", Args: quoted(id, `,"schedule":"0 0 30 2 *"`), Fails: tool.ValidationError, Message: "is never due"},
		{Name: "past", Args: quoted(id, `,"schedule":"2020-01-01T00:00"`), Fails: tool.ValidationError, Message: "is in the past"},
		{Name: "zone", Args: quoted(id, `,"timezone":"nowhere"`), Fails: tool.ValidationError, Message: "timezone: Invalid timezone"},
		{Name: "priority", Args: quoted(id, `,"priority":"urgent"`), Fails: tool.ValidationError, Message: "priority"},
	})
	unknown(t, "update_scheduled_task", `,"name":"x"`)
}
