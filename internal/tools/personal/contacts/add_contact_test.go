package contacts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestAddContact(t *testing.T) {
	call := ann(t)
	got := play[one](t, call, "add_contact",
		`{"name":"Anna","email":"anna@example.com","phone":"+49 30 1","company":"Acme","jobTitle":"CTO","relationship":"friend","birthday":"1992-02-29","address":"Main St 1","notes":"likes tea","isFavorite":true}`)
	want := one{Message: `Contact added: "Anna".`, Contact: view{
		Name: "Anna", Email: "anna@example.com", Phone: "+49 30 1", Company: "Acme", JobTitle: "CTO", Relationship: "friend",
		Birthday: "1992-02-29", Address: "Main St 1", Notes: "likes tea", IsFavorite: true,
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(view{}, "ID", "CreatedAt", "UpdatedAt")); diff != "" || got.Contact.ID == "" ||
		got.Contact.CreatedAt == "" {
		t.Errorf("result %+v (-want +got):\n%s", got, diff)
	}
	tooltest.Run(t, Set, "add_contact", call, []tooltest.Case{
		{Name: "no name", Args: `{}`, Fails: tool.ValidationError, Message: "name"},
		{Name: "blank name", Args: `{"name":"  "}`, Fails: tool.ValidationError, Message: "name is missing or blank"},
		{
			Name:    "long notes",
			Args:    `{"name":"x","notes":"` + strings.Repeat("x", 950_000) + `"}`,
			Fails:   tool.ValidationError,
			Message: "notes has 950000 bytes",
		},
		{Name: "NUL", Args: `{"name":"a\u0000b"}`, Fails: tool.ValidationError, Message: "NUL"},
		{Name: "email", Args: `{"name":"x","email":"anna"}`, Fails: tool.ValidationError, Message: "email is not an address"},
		{Name: "birthday", Args: `{"name":"x","birthday":"17.05.1990"}`, Fails: tool.ValidationError, Message: "YYYY-MM-DD"},
		{Name: "no leap year", Args: `{"name":"x","birthday":"1990-02-29"}`, Fails: tool.ValidationError, Message: "birthday"},
		{Name: "a number for a name", Args: `{"name":-99999999999999999999}`, Fails: tool.ValidationError, Message: "name"},
		{Name: "emoji, right-to-left and kept spaces", Args: `{"name":" 🧑 שרה '; DROP TABLE store_row; -- "}`,
			Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), `"name":" 🧑 שרה '; DROP TABLE store_row; -- "`) {
					t.Errorf("result %s", res.Value)
				}
			}},
	})
	if got := play[listResult](t, call, "list_contacts", `{}`).Total; got != 2 {
		t.Errorf("%d contacts are stored, want 2", got)
	}
}
