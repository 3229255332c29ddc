package contacts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBatchAddContacts(t *testing.T) {
	call := ann(t)
	got := play[batchResult](t, call, "batch_add_contacts", `{"contacts":[{"name":"one"},{"name":"two","birthday":"2000-01-01"}]}`)
	if got.Message != "Added 2 contact(s)." || got.Count != 2 || got.Contacts[0].Name != "one" || got.Contacts[1].Birthday != "2000-01-01" ||
		got.Results != nil {
		t.Errorf("result %+v", got)
	}
	const bad = `[{"name":"three"},{"name":" "},{"email":1},{"name":"x","email":"x"},7,{"name":"a\u0000b"}]`
	good := strings.Repeat(`{"name":"x"},`, 99)
	tooltest.Run(t, Set, "batch_add_contacts", call, []tooltest.Case{
		{
			Name:    "all or none",
			Args:    `{"contacts":` + bad + `}`,
			Fails:   tool.ValidationError,
			Message: "item 1 (counted from 0): name is missing or blank; nothing was created",
		},
		{
			Name:    "the last of 100",
			Args:    `{"contacts":[` + good + `{"name":"x","birthday":"soon"}]}`,
			Fails:   tool.ValidationError,
			Message: "item 99 (counted from 0): birthday",
		},
		{Name: "empty", Args: `{"contacts":[]}`, Fails: tool.ValidationError, Message: "1 to 100"},
		{Name: "too many", Args: `{"contacts":[` + good + good[:len(good)-1] + `]}`, Fails: tool.ValidationError, Message: "not 198"},
		{Name: "no list", Args: `{"contacts":{}}`, Fails: tool.ValidationError, Message: "contacts"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "contacts"},
	})
	if got := play[listResult](t, call, "list_contacts", `{}`).Total; got != 2 {
		t.Fatalf("%d contacts are stored, want 2", got)
	}
	each := play[batchResult](t, call, "batch_add_contacts", `{"atomic":false,"contacts":`+bad+`}`)
	var statuses []string
	for _, o := range each.Results {
		statuses = append(statuses, o.Status+" "+o.ErrorType)
	}
	failed := "error validation_error"
	if diff := cmp.Diff([]string{"success ", failed, failed, failed, failed, failed}, statuses); diff != "" || each.Count != 1 ||
		each.Contacts[0].Name != "three" || each.Message != "Added 1 of 6 contact(s); results has the outcome of each." {
		t.Errorf("each by itself: %+v (-want +got):\n%s", each, diff)
	}
	if got := play[listResult](t, call, "list_contacts", `{}`).Total; got != 3 {
		t.Errorf("%d contacts are stored, want 3", got)
	}
}
