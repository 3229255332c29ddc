package memory

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestRemember(t *testing.T) {
	call := ann(t)
	got := play[rememberResult](t, call, "remember",
		`{"content":"Prefers window seats.","type":"preference","importance":0.7,"tags":["travel"," ","travel"]}`)
	if got.Message != `Remembered as preference `+got.Memory.ID+`: "Prefers window seats.".` || got.Deduplicated ||
		got.Memory != (brief{got.Memory.ID, "preference", 0.7}) || len(got.Memory.ID) != 12 {
		t.Errorf("result %+v", got)
	}
	if got := play[rememberResult](t, call, "remember", `{"content":"x","type":"fact"}`).Memory; got.Importance != 0.5 {
		t.Errorf("default: %+v", got)
	}
	tooltest.Run(t, Set, "remember", call, []tooltest.Case{
		{Name: "no content", Args: `{"type":"fact"}`, Fails: tool.ValidationError, Message: "content"},
		{Name: "blank content", Args: `{"content":" \n","type":"fact"}`, Fails: tool.ValidationError, Message: "content is missing or blank"},
		{Name: "no type", Args: `{"content":"y"}`, Fails: tool.ValidationError, Message: "type"},
		{Name: "type", Args: `{"content":"y","type":"rumour"}`, Fails: tool.ValidationError, Message: "type"},
		{Name: "importance above 1", Args: `{"content":"y","type":"fact","importance":1.01}`, Fails: tool.ValidationError, Message: "importance"},
		{
			Name:    "importance below 0",
			Args:    `{"content":"y","type":"fact","importance":-1e300}`,
			Fails:   tool.ValidationError,
			Message: "importance",
		},
		{Name: "huge importance", Args: `{"content":"y","type":"fact","importance":1e999}`, Fails: tool.ValidationError, Message: "importance"},
		{Name: "NUL", Args: `{"content":"a\u0000b","type":"fact"}`, Fails: tool.ValidationError, Message: "content holds the character NUL"},
		{Name: "NUL in a tag", Args: `{"content":"y","type":"fact","tags":["a\u0000"]}`, Fails: tool.ValidationError, Message: "tags"},
		{Name: "1 MB", Args: `{"content":"` + strings.Repeat("x", 1<<20) + `","type":"fact"}`, Fails: tool.ValidationError},
		{
			Name:    "long content",
			Args:    `{"content":"` + strings.Repeat("x", 900_001) + `","type":"fact"}`,
			Fails:   tool.ValidationError,
			Message: "content",
		},
		{Name: "tags", Args: `{"content":"y","type":"fact","tags":"work"}`, Fails: tool.ValidationError, Message: "tags"},
	})
	if got := play[listResult](t, call, "list_memories", `{"limit":5}`).Total; got != 2 {
		t.Errorf("%d memories are stored, want 2", got)
	}
}

// TestRememberKeepsTexts stores texts that break careless code, and reads them again.
func TestRememberKeepsTexts(t *testing.T) {
	call := ann(t)
	long := strings.Repeat("ж ", 100_000) + "end"
	for _, content := range []string{
		`'; DROP TABLE store_row; --`, `100% _of_ \"it\" \\ * NEAR("a" b) ^`, " kept exactly \n", "🛒👩‍👩‍👧 לקנות חלב \u202eabc", long,
	} {
		add(t, call, content, "")
		if got := play[listResult](t, call, "list_memories", `{"limit":1}`).Memories[0].Content; got != content {
			t.Errorf("stored %.60q as %.60q", content, got)
		}
	}
}

// TestRememberMerges: a memory of the same content is merged, whatever its type.
func TestRememberMerges(t *testing.T) {
	call := ann(t)
	id := add(t, call, "Prefers window seats.", `,"importance":0.4,"tags":["travel"]`)
	got := play[rememberResult](t, later(call, 90), "remember",
		`{"content":"prefers WINDOW  seats","type":"preference","importance":0.3,"tags":["train","travel"]}`)
	if !got.Deduplicated || got.Memory != (brief{id, "fact", 0.4}) ||
		got.Message != `Memory `+id+` already exists: "Prefers window seats."; it was merged with this one.` {
		t.Errorf("result %+v, want the memory %s", got, id)
	}
	all := play[listResult](t, later(call, 90), "list_memories", `{"limit":5}`)
	if all.Total != 1 || strings.Join(all.Memories[0].Tags, " ") != "travel train" || all.Memories[0].CreatedAt != "2026-11-23T09:00:00Z" ||
		all.Memories[0].Importance != 0.4 {
		t.Errorf("stored: %+v", all)
	}
	if got := play[rememberResult](t, call, "remember",
		`{"content":"Prefers window seats","type":"fact","importance":0.9}`).Memory.Importance; got != 0.9 {
		t.Errorf("importance %v, want the higher one of the two", got)
	}
	call.User = "bob"
	if got := play[rememberResult](t, call, "remember", `{"content":"Prefers window seats","type":"fact"}`); got.Deduplicated ||
		got.Memory.ID == id {
		t.Errorf("another person's memory is merged: %+v", got)
	}
}
