package services

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/tool"
)

const several = `
- {service: s, data: {k: shared}}
- {service: s, label: spare, data: {k: spare}}
- {service: s, label: main, default: true, data: {k: main}}
- {service: s, label: ann-1, user: ann, data: {k: ann-1}}
- {service: s, label: ann-2, user: ann, default: true, data: {k: ann-2}}
- {service: s, tenant: acme, data: {k: acme}}
- {service: s, tenant: acme, user: ann, data: {k: acme-ann}}
- {service: other, data: {k: other}}
`

func TestEntriesAreOfTheUserFirst(t *testing.T) {
	t.Parallel()
	c, _, _ := open(t, several)
	for _, tt := range []struct{ tenant, user, service, want string }{
		{"default", "", "s", "main!:main;default:shared;spare:spare;"},
		{"default", "bob", "s", "main!:main;default:shared;spare:spare;"},
		{"default", "ann", "s", "ann-2!:ann-2;ann-1:ann-1;main!:main;default:shared;spare:spare;"},
		{"acme", "", "s", "default:acme;"},
		{"acme", "ann", "s", "default:acme-ann;default:acme;"},
		{"acme", "ann", "other", ""},
		{"nobody", "ann", "s", ""},
		{"default", "ann", "S", ""},
		{"", "", "s", ""},
	} {
		if got := labels(t, c, tt.tenant, tt.user, tt.service); got != tt.want {
			t.Errorf("%s/%s of %s = %s, want %s", tt.tenant, tt.user, tt.service, got, tt.want)
		}
	}
}

func TestEntriesBelongToTheAsker(t *testing.T) {
	t.Parallel()
	c, _, _ := open(t, several)
	for _, user := range []string{"ann", "", "ann", ""} {
		entries, err := c.For("default", user).Entries(t.Context(), "s")
		if last := len(entries) - 1; err != nil || entries[last].Data["k"] != "spare" || entries[last].Label != "spare" {
			t.Fatalf("Entries = %v, %v", entries, err)
		}
		for i := range entries {
			entries[i].Data["k"] = "changed"
			entries[i].Label = "changed"
		}
	}
}

func TestNothingPrintsValues(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	c, path, _ := open(t, one(secret))
	for _, v := range []any{c, c.For("default", "ann"), struct{ S tool.Secrets }{c.For("default", "")}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
				t.Errorf("%s of %T shows the value: %s", verb, v, text)
			}
		}
	}
	got := fmt.Sprintf("%v, %#v, %#v", c, c, c.For("acme", "ann"))
	want := "services of PATH (1 entries), services of PATH (1 entries), services of PATH (1 entries) for tenant \"acme\", user \"ann\""
	if got = strings.ReplaceAll(got, path, "PATH"); got != want {
		t.Errorf("printed as %s, want %s", got, want)
	}
}

// Two concurrent reads, one of them while the file changes, see one state or the other.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	c, path, reports := open(t, one("old"))
	c.looked = c.looked.Add(-2 * every)
	if err := os.WriteFile(path+".new", []byte(one("newer")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				entries, err := c.For("default", "u").Entries(t.Context(), "s")
				if err != nil || len(entries) != 1 || entries[0].Data["k"] != "old" && entries[0].Data["k"] != "newer" {
					t.Errorf("Entries = %v, %v", entries, err)
				}
			}
		})
	}
	all.Wait()
	if len(*reports) != 0 {
		t.Errorf("reported %v", *reports)
	}
}
