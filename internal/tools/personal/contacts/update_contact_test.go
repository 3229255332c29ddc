package contacts

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestUpdateContact(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"name":"Anna","email":"anna@example.com","birthday":"1990-05-17","isFavorite":true}`)
	for _, tt := range []struct{ more, changed, message string }{
		{`,"name":"Anna B.","phone":"1"`, "name phone", `Contact updated: "Anna B." (name, phone).`},
		{`,"phone":"1"`, "", `Contact "Anna B." is like that already; nothing changed.`},
		{`,"email":" anna@example.org ","company":"Acme","notes":"x"`, "email company notes", ""},
		{`,"email":"","phone":"","company":"","notes":""`, "email phone company notes", ""},
	} {
		got := play[updateResult](t, call, "update_contact", quoted(id, tt.more))
		if changed := strings.Join(got.Changed, " "); changed != tt.changed || tt.message != "" && got.Message != tt.message {
			t.Errorf("%s: changed %q, %q; want %q, %q", tt.more, changed, got.Message, tt.changed, tt.message)
		}
	}
	got := play[listResult](t, call, "list_contacts", `{}`).Contacts[0]
	if got.Name != "Anna B." || got.Email+got.Phone+got.Company+got.Notes != "" || got.Birthday != "1990-05-17" || !got.IsFavorite {
		t.Errorf("in the end: %+v", got)
	}
	tooltest.Run(t, Set, "update_contact", call, []tooltest.Case{
		{Name: "nothing", Args: quoted(id, ""), Fails: tool.ValidationError, Message: "nothing to change"},
		{Name: "blank name", Args: quoted(id, `,"name":" "`), Fails: tool.ValidationError, Message: "name is missing or blank"},
		{Name: "email", Args: quoted(id, `,"email":"x"`), Fails: tool.ValidationError, Message: "name@example.com"},
		{
			Name:    "long",
			Args:    quoted(id, `,"notes":"`+strings.Repeat("x", 950_000)+`"`),
			Fails:   tool.ValidationError,
			Message: "notes has 950000 bytes",
		},
	})
	unknown(t, "update_contact", `,"name":"x"`)
}
