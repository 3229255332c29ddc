package catalog

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// def is an enabled tool of a group, with aliases.
func def(name, group string, aliases ...string) tool.Definition {
	return tool.Definition{Name: name, Group: group, Category: "The " + group, Aliases: aliases, Enabled: true}
}

func filled(t *testing.T, defs ...tool.Definition) *Catalog {
	t.Helper()
	c := New()
	if err := c.Put(defs...); err != nil {
		t.Fatal(err)
	}
	return c
}

func toolNames(defs []*tool.Definition) []string {
	list := []string{}
	for _, d := range defs {
		list = append(list, d.Name)
	}
	return list
}

// TestEdit: changes that are made together are made in order, and a refused one is left
// out.
func TestEdit(t *testing.T) {
	c := filled(t, def("old", "files"), def("kept", "files"))
	var refused error
	c.Edit(func(put func(tool.Definition) error, remove func(string)) {
		remove("old")
		for _, d := range []tool.Definition{def("a.b", "files"), def("kept", "tasks")} {
			if err := put(d); err != nil {
				t.Errorf("put(%s) = %v", d.Name, err)
			}
		}
		refused = put(def("a_b", "files"))
		remove("none")
	})
	if got := toolNames(c.All()); !cmp.Equal(got, []string{"a.b", "kept"}) || refused == nil {
		t.Errorf("after Edit there are %q, refused %v", got, refused)
	}
	if d, _ := c.Lookup("kept"); d.Group != "tasks" {
		t.Errorf("kept is in the group %s, want tasks", d.Group)
	}
}

func TestPutRefuses(t *testing.T) {
	there := def("files.read_text", "files", "read_old")
	for _, tt := range []struct {
		put  tool.Definition
		want string // part of the error, empty for none
	}{
		{def("files.write_text", "files"), ""},
		{def("files.read_text", "files"), ""},                                   // replaces
		{def("files.read_text", "files", "files_read_text"), ""},                // its own
		{def("files_read_text", "files"), `taken by tool "files.read_text"`},    // same for a provider
		{def("files_read.text", "files"), `taken by tool "files.read_text"`},    // the same again
		{def("read_old", "files"), `taken by tool "files.read_text"`},           // an alias
		{def("read.old", "files"), `taken by tool "files.read_text"`},           // an alias, for a provider
		{def("a", "files", "files.read_text"), `taken by tool "files.read_tex`}, // alias against name
		{def("a", "files", "read_old"), `taken by tool "files.read_text"`},      // alias against alias
		{def("", "files"), "not a valid tool name"},
		{def("1a", "files"), "not a valid tool name"},
		{def("a", "files", "b c"), `"b c" is not a valid tool name`},
		{def(strings.Repeat("a", 65), "files"), "not a valid tool name"},
	} {
		c := filled(t, there)
		err := c.Put(tt.put)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Put(%q, aliases %q) = %v, want %q", tt.put.Name, tt.put.Aliases, err, tt.want)
		}
		if err != nil {
			if got := toolNames(c.All()); !cmp.Equal(got, []string{"files.read_text"}) {
				t.Errorf("after Put(%q) was refused the catalog holds %q", tt.put.Name, got)
			}
		}
	}
}

func TestPutAllOrNone(t *testing.T) {
	c := New()
	if err := c.Put(def("a", "g"), def("b c", "g"), def("d e", "g")); err == nil || !strings.Contains(err.Error(), "b c") ||
		!strings.Contains(err.Error(), "d e") {
		t.Errorf("Put = %v, want both invalid names in it", err)
	}
	if got := c.All(); len(got) != 0 {
		t.Errorf("after a refused Put the catalog holds %q", toolNames(got))
	}
}

func TestLookup(t *testing.T) {
	c := filled(t, def("b", "g", "old_b"), def("a", "g"), def("c", "g"))
	if got, want := toolNames(c.All()), []string{"a", "b", "c"}; !cmp.Equal(got, want) {
		t.Errorf("All() = %q, want %q", got, want)
	}
	for name, want := range map[string]string{"a": "a", "old_b": "b", "nope": ""} {
		got, ok := c.Lookup(name)
		if ok != (want != "") || ok && got.Name != want {
			t.Errorf("Lookup(%q) = %v, %v, want %q", name, got, ok, want)
		}
	}

	// A replacement drops what only the old definition had.
	if err := c.Put(def("b", "g", "newer_b")); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Lookup("old_b"); ok {
		t.Error("the alias of a replaced definition is still there")
	}
	c.Remove("b")
	c.Remove("nope")
	if _, ok := c.Lookup("newer_b"); ok {
		t.Error("the alias of a removed tool is still there")
	}
	if err := c.Put(def("newer.b", "g")); err != nil {
		t.Errorf("Put of a name that was given free: %v", err)
	}
}

func TestListsAreNeverNull(t *testing.T) {
	c := filled(t, def("a", "g"))
	got, _ := c.Lookup("a")
	if got.Tags == nil || got.RequiredPermissions == nil || got.Scopes.Paths == nil || got.Scopes.Hosts == nil || got.Scopes.Apps == nil {
		t.Errorf("Lookup(a) = %+v, want empty lists, not nil", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	c := filled(t, def("steady", "g"))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 50 {
				name := fmt.Sprintf("t%d_%d", i, n)
				if err := c.Put(def(name, "g")); err != nil {
					t.Error(err)
				}
				c.Remove(name)
			}
		})
		wg.Go(func() {
			for range 200 {
				if _, ok := c.Lookup("steady"); !ok {
					t.Error("a reader lost a tool that never left")
				}
				for _, d := range view(c).List(Filter{Query: "steady"}) {
					if !d.Enabled {
						t.Error("List gave a disabled tool")
					}
				}
				view(c).Groups()
			}
		})
	}
	wg.Wait()
	if got, want := toolNames(c.All()), []string{"steady"}; !cmp.Equal(got, want) {
		t.Errorf("All() = %q, want %q", got, want)
	}
}
