package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBatchRemember(t *testing.T) {
	call := ann(t)
	id := add(t, call, "one", "")
	got := play[batchResult](t, call, "batch_remember",
		`{"memories":[{"content":"two","type":"skill"},{"content":"One!","type":"event"},{"content":"TWO","type":"fact","importance":0.9}]}`)
	two := got.Memories[0].ID
	want := batchResult{
		Message: "Remembered 1 new memory(ies); 2 already existed.", Created: 1, Deduplicated: 2, Count: 3,
		Memories: []kept{{brief{two, "skill", 0.5}, false}, {brief{id, "fact", 0.5}, true}, {brief{two, "skill", 0.9}, true}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(kept{}, brief{})); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if all := play[listResult](t, call, "list_memories", `{"limit":5}`); contents(all.Memories) != "two|one" ||
		all.Memories[0].Importance != 0.9 {
		t.Errorf("stored: %+v", all.Memories)
	}
}

func TestBatchRememberOneBad(t *testing.T) {
	call := ann(t)
	var list []string
	for i := range 99 {
		list = append(list, fmt.Sprintf(`{"content":"memory %d","type":"fact"}`, i))
	}
	full := `{"memories":[` + strings.Join(append(list, `{"content":"x","type":"fact","importance":2}`), ",") + `]`
	bad := `[{"content":"a","type":"fact"},{"content":" ","type":"fact"},{"content":"b","type":"x"},7,{"content":"c\u0000","type":"fact"},{"content":"d","type":"fact","importance":"high"},{"content":"A","type":"fact"}]`
	tooltest.Run(t, Set, "batch_remember", call, []tooltest.Case{
		{Name: "the last of 100", Args: full + `}`, Fails: tool.ValidationError, Message: "item 99 (counted from 0): importance is 2"},
		{
			Name:    "all or none",
			Args:    `{"memories":` + bad + `}`,
			Fails:   tool.ValidationError,
			Message: "item 1 (counted from 0): content is missing or blank; nothing was created",
		},
		{Name: "empty", Args: `{"memories":[]}`, Fails: tool.ValidationError, Message: "1 to 100"},
		{
			Name:    "too many",
			Args:    `{"memories":[` + strings.Join(append(list, list[0], list[1]), ",") + `]}`,
			Fails:   tool.ValidationError,
			Message: "not 101",
		},
		{Name: "no list", Args: `{"memories":"x"}`, Fails: tool.ValidationError, Message: "memories"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "memories"},
	})
	if got := play[listResult](t, call, "list_memories", `{"limit":5}`).Total; got != 0 {
		t.Fatalf("%d memories are stored, want none", got)
	}
	each := play[batchResult](t, call, "batch_remember", `{"atomic":false,"memories":`+bad+`}`)
	if each.Created != 1 || each.Deduplicated != 1 || each.Count != 2 ||
		each.Message != "Remembered 1 new memory(ies) of 7; 1 already existed; results has the outcome of each." {
		t.Errorf("each by itself: %+v", each)
	}
	var statuses []string
	for _, o := range each.Results {
		statuses = append(statuses, o.Status)
	}
	if got := strings.Join(statuses, " "); got != "success error error error error error success" {
		t.Errorf("outcomes %s", got)
	}
	if want := (batch.Outcome{
		Status:    "error",
		ErrorType: "validation_error",
		Message:   `item 2 (counted from 0): type is "x", and must be fact, preference, event or skill`,
	}); each.Results[2] != want {
		t.Errorf("outcome %+v, want %+v", each.Results[2], want)
	}
	if got := play[batchResult](t, call, "batch_remember", full+`,"atomic":false}`); got.Created != 99 || len(got.Results) != 100 {
		t.Errorf("99 of 100: %d created, %d outcomes", got.Created, len(got.Results))
	}
}
