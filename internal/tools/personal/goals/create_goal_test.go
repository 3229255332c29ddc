package goals

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCreateGoal(t *testing.T) {
	call := ann(t)
	got := play[one](t, call, "create_goal", `{"title":"Run a marathon","description":"Below 4 hours","priority":8,"dueDate":"2027-10-04"}`)
	want := one{"Goal created: \"Run a marathon\" (" + got.Goal.ID + ").", goal{
		Title: "Run a marathon", Description: "Below 4 hours", Status: "active", Priority: 8, DueDate: "2027-10-04",
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(goal{}, "ID", "CreatedAt", "UpdatedAt")); diff != "" || len(got.Goal.ID) != 12 ||
		got.Goal.CreatedAt == "" {
		t.Errorf("result %+v (-want +got):\n%s", got, diff)
	}
	part := play[one](t, call, "create_goal", quotedParent(got.Goal.ID)).Goal
	if part.ParentID != got.Goal.ID || part.Priority != 5 {
		t.Errorf("part %+v", part)
	}
	for date, want := range map[string]string{
		"0001-01-01": "0001-01-01", "9999-12-31T23:59": "9999-12-31T23:59:00", "2028-02-29": "2028-02-29",
		"2026-12-01T08:00+01:00": "2026-12-01T08:00:00+01:00",
	} {
		if got := play[one](t, call, "create_goal", `{"title":"x","dueDate":"`+date+`"}`).Goal.DueDate; got != want {
			t.Errorf("due date %s is stored as %s", date, got)
		}
	}
	before := play[statsResult](t, call, "goal_stats", `{}`).Stats.Total
	tooltest.Run(t, Set, "create_goal", call, []tooltest.Case{
		{Name: "no title", Args: `{}`, Fails: tool.ValidationError, Message: "title"},
		{Name: "blank title", Args: `{"title":" \t"}`, Fails: tool.ValidationError, Message: "title is missing or blank"},
		{Name: "long title", Args: `{"title":"` + strings.Repeat("x", 501) + `"}`, Fails: tool.ValidationError, Message: "title"},
		{
			Name:    "1 MB",
			Args:    `{"title":"x","description":"` + strings.Repeat("x", 900_001) + `"}`,
			Fails:   tool.ValidationError,
			Message: "description",
		},
		{Name: "NUL", Args: `{"title":"a\u0000b"}`, Fails: tool.ValidationError, Message: "NUL"},
		{Name: "priority 0", Args: `{"title":"x","priority":0}`, Fails: tool.ValidationError, Message: "priority"},
		{Name: "priority 11", Args: `{"title":"x","priority":11}`, Fails: tool.ValidationError, Message: "priority"},
		{Name: "priority 5.5", Args: `{"title":"x","priority":5.5}`, Fails: tool.ValidationError, Message: "priority"},
		{Name: "huge priority", Args: `{"title":"x","priority":1e99}`, Fails: tool.ValidationError, Message: "priority"},
		{
			Name:    "a word for a date",
			Args:    `{"title":"x","dueDate":"tomorrow"}`,
			Fails:   tool.ValidationError,
			Message: "dueDate: \"tomorrow\" is no date",
		},
		{Name: "no such day", Args: `{"title":"x","dueDate":"2026-02-29"}`, Fails: tool.ValidationError, Message: "YYYY-MM-DD"},
		{Name: "year 0", Args: `{"title":"x","dueDate":"0000-01-01"}`, Fails: tool.ValidationError, Message: "dueDate"},
		{Name: "year 10000", Args: `{"title":"x","dueDate":"10000-01-01"}`, Fails: tool.ValidationError, Message: "dueDate"},
		{Name: "no such parent", Args: quotedParent("nope"), Fails: tool.NotFound, Message: "Goal not found: nope; list_goals"},
	})
	if got := play[statsResult](t, call, "goal_stats", `{}`).Stats.Total; got != before {
		t.Errorf("%d goals are stored, want %d", got, before)
	}
	bob := call
	bob.User = "bob"
	tooltest.Run(t, Set, "create_goal", bob, []tooltest.Case{
		{Name: "another person's parent", Args: quotedParent(got.Goal.ID), Fails: tool.NotFound, Message: "Goal not found: " + got.Goal.ID},
	})
}

func quotedParent(id string) string { return `{"title":"Run 30 km","parentId":"` + id + `"}` }

// TestCreateGoalKeepsTexts stores texts that break careless code, and reads them again.
func TestCreateGoalKeepsTexts(t *testing.T) {
	call := ann(t)
	for _, text := range []string{`'; DROP TABLE store_row; --`, `100% _of_ \\ NEAR(a) *`, ` kept exactly `, `🏃 ללמוד עברית \u202e`} {
		got := play[one](t, call, "create_goal", `{"title":"`+text+`","description":"`+text+`"}`)
		read := play[detailsResult](t, call, "get_goal_details", quoted(got.Goal.ID, "")).Goal
		if read.Title != read.Description || strings.ReplaceAll(strings.ReplaceAll(text, `\\`, `\`), `\u202e`, "\u202e") != read.Title {
			t.Errorf("%q is read as %q and %q", text, read.Title, read.Description)
		}
	}
}
