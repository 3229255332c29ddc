package contacts

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteContact(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"name":"Anna","company":"Acme"}`)
	add(t, call, `{"name":"stays"}`)
	got := play[deleteResult](t, call, "delete_contact", quoted(id, ""))
	if got.Message != `Contact deleted: "Anna".` || got.Deleted.ID != id || got.Deleted.Company != "Acme" {
		t.Errorf("result %+v", got)
	}
	if left := play[listResult](t, call, "list_contacts", `{}`); left.Total != 1 || left.Contacts[0].Name != "stays" {
		t.Errorf("left: %+v", left)
	}
	tooltest.Run(t, Set, "delete_contact", call, []tooltest.Case{{Name: "again", Args: quoted(id, ""), Fails: tool.NotFound}})
	unknown(t, "delete_contact", "")
}
