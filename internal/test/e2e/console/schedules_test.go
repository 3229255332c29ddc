package console

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// plan schedules a daily call for the person of a door and returns the id of the task.
func plan(t *testing.T, d system.Door, name string) string {
	t.Helper()
	e := system.One(t, d, "default", fmt.Sprintf(
		`{"tool": "create_scheduled_task", "arguments": {"name": %q, "schedule": "@daily", "toolName": "calculate", "toolArgs": {"expression": "6*7"}}}`, name))
	var made struct{ Task struct{ ID string } }
	if err := json.Unmarshal(e.Result, &made); err != nil || made.Task.ID == "" {
		t.Fatalf("create_scheduled_task = %v", e)
	}
	return made.Task.ID
}

// buttons is the expression of what may be done to the thing of the detail.
const buttons = `[...document.querySelectorAll('.detail .head button')].map((b) => b.innerText).join()`

// TestSchedules: a person sees their own tasks, runs one now, whose call it leads to, pauses, resumes
// and deletes it, each of which is on the trail; an auditor sees those of everybody and changes none.
func TestSchedules(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	ann, root := p.door(t, "ann"), p.door(t, "root")
	id, bobs := plan(t, ann, "Remind me"), plan(t, p.door(t, "bob"), "Only for bob")

	c := signed(t, p.URLs[0], p.keys["ann"], "/schedules")
	c.Until(shown + ` === 'ann.` + id + `' && document.querySelector('.row').innerText.includes('Remind me calculate, @daily')`)
	c.Axe()
	c.Click(`.row .row-link`)
	c.Until(`location.pathname === '/schedules/ann.` + id + `' && ` + buttons + ` === 'Run now,Pause,Delete'`)
	c.Sees("has not run")
	c.Click("text=Run now")
	c.confirm("Run now")
	c.Until(`document.querySelector('.detail tbody a')?.innerText === 'Success'`)
	c.Axe()
	c.Size(360, 740)
	c.Fits()
	c.Size(1280, 900)
	c.Click(`.detail dl a[href^="/calls/t-` + id + `-"]`)
	c.Until(`location.pathname.startsWith('/calls/t-') && document.querySelector('.detail a[href="/conversations/schedule-` + id + `"]') !== null`)

	c.Visit("/schedules/ann." + id)
	c.Click("text=Pause")
	c.confirm("Pause")
	c.Until(buttons + ` === 'Run now,Resume,Delete' && document.querySelector('.row').innerText.includes('Paused')`)
	if s := system.Decode[protocol.Schedule](t, ann.Ask(t, "default", "schedules.get", map[string]string{"id": id}, "")); s.Enabled {
		t.Errorf("the task is not paused: %+v", s)
	}
	c.Click("text=Resume")
	c.confirm("Resume")
	c.Until(buttons + ` === 'Run now,Pause,Delete'`)
	system.Eventually(t, "both changes are on the trail", func() bool {
		records, _ := system.QueryRecords(t, root, "default", map[string]string{"tool": "update_scheduled_task", "user": "ann", "phase": "finished"})
		return len(records) == 2
	})
	c.Visit("/schedules?user=bob")
	c.Until(`document.querySelector('.failure') !== null`)
	c.Visit("/schedules/bob." + bobs)
	c.Until(`document.querySelector('.detail .failure') !== null && document.querySelector('.detail .head button') === null`)

	for name, may := range map[string]string{"eve": "", "root": "Delete"} {
		other := signed(t, p.URLs[0], p.keys[name], "/schedules?user=ann")
		other.Until(shown + ` === 'ann.` + id + `'`)
		other.Click(`.row .row-link`)
		other.Until(`document.querySelector('.detail dl') !== null && ` + buttons + ` === '` + may + `'`)
	}
	c.Visit("/schedules/ann." + id)
	c.Click("text=Delete")
	c.confirm("Delete")
	c.Sees("No scheduled tasks.")
	records, _ := system.QueryRecords(t, root, "default", map[string]string{"tool": "schedules.delete", "phase": "personal_data"})
	if len(records) != 1 || records[0].User != "ann" {
		t.Errorf("the trail has %+v of the deleted task", records)
	}
}
