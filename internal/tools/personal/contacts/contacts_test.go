package contacts

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// ann returns a call of ann's, over an empty store.
func ann(t *testing.T) tool.Call {
	t.Helper()
	return tool.Call{User: "ann", Store: tooltest.NewStore(t)}
}

// play makes a call that must succeed, and decodes its result.
func play[T any](t *testing.T, call tool.Call, name, args string) T {
	t.Helper()
	var out T
	for _, tl := range Set.Tools() {
		if tl.Name != name {
			continue
		}
		res, err := tooltest.Play(t.Context(), tl, call, args)
		if err != nil {
			t.Fatalf("%s(%.200s): %v", name, args, err)
		}
		if err := json.Unmarshal(res.Value, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	t.Fatalf("there is no tool %s", name)
	return out
}

// add adds a contact and returns its id.
func add(t *testing.T, call tool.Call, args string) string {
	t.Helper()
	return play[one](t, call, "add_contact", args).Contact.ID
}

// quoted returns {"contactId":id} with further members.
func quoted(id, more string) string { return `{"contactId":"` + id + `"` + more + `}` }

// unknown holds a tool to how it refuses ids: of no contact, and of another person's.
func unknown(t *testing.T, name, more string) {
	t.Helper()
	call := ann(t)
	id := add(t, call, `{"name":"Ann's"}`)
	call.User = "bob"
	tooltest.Run(t, Set, name, call, []tooltest.Case{
		{Name: "no such contact", Args: quoted("nope", more), Fails: tool.NotFound, Message: "Contact not found: nope; list_contacts"},
		{Name: "another person's", Args: quoted(id, more), Fails: tool.NotFound, Message: "Contact not found: " + id},
		{Name: "hostile id", Args: quoted("' OR 1=1 --", more), Fails: tool.NotFound},
		{Name: "no id", Args: `{}`, Fails: tool.ValidationError, Message: "contactId"},
		{Name: "a huge number", Args: `{"contactId":1e300}`, Fails: tool.ValidationError, Message: "contactId"},
	})
}

func TestInput(t *testing.T) {
	long := strings.Repeat("x", 900_001)
	for want, in := range map[string]Input{
		"name is missing or blank":          {Name: " "},
		"name has 900001 bytes":             {Name: long},
		"phone has 900001 bytes":            {Phone: long},
		"company has 900001 bytes":          {Company: long},
		"jobTitle has 900001 bytes":         {JobTitle: long},
		"relationship has 900001 bytes":     {Relationship: long},
		"address has 900001 bytes":          {Address: long},
		"notes has 900001 bytes":            {Notes: long},
		"birthday: \"yesterday\" is no day": {Birthday: "yesterday"},
		"birthday: \"2023-02-29\"":          {Birthday: "2023-02-29"},
		"birthday: \"0000-01-01\"":          {Birthday: "0000-01-01"},
	} {
		if in.Name == "" {
			in.Name = "x"
		}
		_, err := in.Contact()
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.HasPrefix(e.Msg, want) {
			t.Errorf("%v, want a validation_error with %q", err, want)
		}
	}
	for _, email := range []string{
		"anna", "anna@", "@example.com", "Anna <anna@example.com>", "a@b@c", "a b@example.com", "a@example.com\nBcc: x@example.com",
		"a@example.com, b@example.com", strings.Repeat("x", 250) + "@example.com", "' OR 1=1",
	} {
		_, err := Input{Name: "x", Email: email}.Contact()
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.Contains(e.Msg, "name@example.com") {
			t.Errorf("%q: %v, want a validation_error with the form to use", email, err)
		}
	}
	for _, email := range []string{"anna@example.com", " anna+x@mail.example.com ", "о@пример.рф", "o'brien@example.com"} {
		if v, err := (Input{Name: "x", Email: email}).Contact(); err != nil || v.Email != strings.TrimSpace(email) {
			t.Errorf("%q is stored as %q, %v", email, v.Email, err)
		}
	}
}
