package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func TestTenants(t *testing.T) {
	shared := filled(t, tool.Definition{Name: "read_file", Group: "filesystem", Enabled: true})
	c := NewTenants(shared)
	for tenant, def := range map[string]tool.Definition{
		"acme":  {Name: "weather", Group: "custom", Description: "acme's", Enabled: true},
		"other": {Name: "read_file", Group: "custom", Description: "not the one", Enabled: true},
	} {
		if err := c.Put(Custom, tenant, def); err != nil {
			t.Fatal(err)
		}
	}
	for tenant, want := range map[string][]string{"acme": {"read_file", "weather"}, "other": {"read_file"}, "third": {"read_file"}} {
		if got := toolNames(c.Of(tenant, "").List(Filter{})); !cmp.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", tenant, got, want)
		}
	}
	if def, ok := c.Of("other", "").Lookup("read_file"); !ok || def.Group != "filesystem" {
		t.Errorf("other's own read_file hides the one everybody has: %+v", def)
	}
	if _, ok := c.Of("other", "").Lookup("weather"); ok {
		t.Error("other sees the tool of acme")
	}
	weather, _ := c.Of("acme", "").Lookup("weather")
	if v := c.Of("acme", ""); !v.Allows(nil, "a", weather) || v.Allows(&protocol.AgentRules{Groups: []string{"filesystem"}}, "a", weather) ||
		c.Of("other", "").Allows(nil, "a", weather) {
		t.Error("the tool is to be allowed to agents of acme that may have it, and to nobody else")
	}
	with := map[string][]string{}
	for _, g := range c.Of("acme", "").Groups() {
		if len(g.Tools) > 0 {
			with[g.Name] = g.Tools
		}
	}
	if diff := cmp.Diff(map[string][]string{"custom": {"weather"}, "filesystem": {"read_file"}}, with); diff != "" {
		t.Errorf("groups with tools (-want +got):\n%s", diff)
	}
	c.Remove(Custom, "acme", "weather")
	c.Remove(Custom, "nobody", "weather")
	if _, ok := c.Of("acme", "").Lookup("weather"); ok {
		t.Error("a tool that was removed is still there")
	}
}

// TestLayers: what a model wrote hides a tool of a process outside that has its name,
// also from searches, and takes nothing of it along when it goes.
func TestLayers(t *testing.T) {
	c := NewTenants(filled(t, tool.Definition{Name: "files.read", Group: "filesystem", Enabled: true}))
	for layer, about := range map[Layer]string{Custom: "lamp of a model", Remote: "lamp of a process"} {
		if err := c.Put(layer, "acme", tool.Definition{Name: "lamp", Description: about, Group: "g", Enabled: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Put(Remote, "acme", tool.Definition{Name: "horn", Group: "g", Enabled: true}); err != nil {
		t.Fatal(err)
	}
	says := func(want string) {
		t.Helper()
		def, ok := c.Of("acme", "").Lookup("lamp")
		found := c.Of("acme", "").Search(nil, "", tool.Search{Query: "lamp", Limit: 9}).Tools
		if !ok || def.Description != want || len(found) != 1 || found[0].Description != want {
			t.Errorf("lamp = %+v, found %v, want the %s alone", def, found, want)
		}
	}
	says("lamp of a model")
	if got, want := toolNames(c.Of("acme", "").All()), []string{"files.read", "horn", "lamp"}; !cmp.Equal(got, want) {
		t.Errorf("acme has %q, want %q", got, want)
	}
	for name, want := range map[string]bool{"lamp": true, "files_read": true, "horn": false, "free": false} {
		if got := c.Taken(Remote, "acme", name); got != want {
			t.Errorf("Taken(%s) = %v, want %v", name, got, want)
		}
	}
	if c.Taken(Custom, "acme", "lamp") || c.Taken(Remote, "other", "lamp") {
		t.Error("lamp is taken ahead of its own layer, or for another tenant")
	}
	c.Remove(Custom, "acme", "lamp")
	says("lamp of a process")
}

func TestLoadErrors(t *testing.T) {
	c, one := NewTenants(New()), 1
	c.SetLoadErrors("w1", []protocol.LoadError{
		{File: "b.json", Entry: &one, Reason: "no name"}, {File: "b.json", Entry: nil, Reason: "no script"},
	})
	c.SetLoadErrors("w2", []protocol.LoadError{
		{File: "b.json", Entry: &one, Reason: "no name"}, {File: "a.json", Entry: nil, Reason: "not JSON"},
	})
	want := []protocol.LoadError{
		{File: "a.json", Entry: nil, Reason: "not JSON"}, {File: "b.json", Entry: nil, Reason: "no script"},
		{File: "b.json", Entry: &one, Reason: "no name"},
	}
	if diff := cmp.Diff(want, c.LoadErrors()); diff != "" {
		t.Errorf("load errors (-want +got):\n%s", diff)
	}
	c.SetLoadErrors("w1", nil)
	c.SetLoadErrors("w2", nil)
	if got := c.LoadErrors(); got == nil || len(got) != 0 {
		t.Errorf("load errors = %v, want an empty list", got)
	}
}
