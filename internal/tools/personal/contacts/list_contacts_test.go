package contacts

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListContacts(t *testing.T) {
	call := ann(t)
	add(t, call, `{"name":"Anna Müller","email":"anna@example.com","company":"Acme","relationship":"friend"}`)
	add(t, call, `{"name":"Bob","company":"Acme GmbH","relationship":"colleague","notes":"cheese","phone":"123"}`)
	add(t, call, `{"name":"100% _Carl","email":"carl@example.org","relationship":"friend","isFavorite":true}`)
	for args, want := range map[string]string{
		`{}`:                                      "100% _Carl, Bob, Anna Müller",
		`{"relationship":"friend"}`:               "100% _Carl, Anna Müller",
		`{"company":"Acme"}`:                      "Anna Müller",
		`{"favorite":true}`:                       "100% _Carl",
		`{"favorite":false}`:                      "Bob, Anna Müller",
		`{"search":"ACM"}`:                        "Bob, Anna Müller",
		`{"search":"muller ann"}`:                 "Anna Müller",
		`{"search":"example.org"}`:                "100% _Carl",
		`{"search":"cheese"}`:                     "",
		`{"search":"123"}`:                        "",
		`{"search":"_"}`:                          "",
		`{"search":"\" OR name MATCH \"*"}`:       "",
		`{"relationship":"' OR '1'='1"}`:          "",
		`{"search":"anna","company":"Acme GmbH"}`: "",
		`{"limit":1}`:                             "100% _Carl",
		`{"limit":1,"offset":1}`:                  "Bob",
		`{"offset":2}`:                            "Anna Müller",
	} {
		got := play[listResult](t, call, "list_contacts", args)
		var names []string
		for _, v := range got.Contacts {
			names = append(names, v.Name)
		}
		if list := strings.Join(names, ", "); list != want || got.Count != len(names) || got.Truncated != strings.Contains(args, `"limit":1`) {
			t.Errorf("%s lists %q (%+v), want %q", args, list, got.Counts, want)
		}
	}
	other := call
	other.User = "bob"
	tooltest.Run(t, Set, "list_contacts", other, []tooltest.Case{
		{
			Name: "nothing of others",
			Args: `{"limit":5}`,
			Want: `{"message":"0 contact(s) found.","contacts":[],"total":0,"count":0,"truncated":false}`,
		},
	})
	got := play[listResult](t, call, "list_contacts", `{"limit":2}`)
	if got.Total != 3 || !got.Truncated || !strings.HasPrefix(got.Message, "2 of 3 contact(s)") {
		t.Errorf("of 3: %+v, %q", got.Counts, got.Message)
	}
}
