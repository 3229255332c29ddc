package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestTenants(t *testing.T) {
	shared := filled(t, tool.Definition{Name: "read_file", Group: "filesystem", Enabled: true})
	c := NewTenants(shared)
	for tenant, def := range map[string]tool.Definition{
		"acme":  {Name: "weather", Group: "custom", Description: "acme's", Enabled: true},
		"other": {Name: "read_file", Group: "custom", Description: "not the one", Enabled: true},
	} {
		if err := c.Put(tenant, def); err != nil {
			t.Fatal(err)
		}
	}
	for tenant, want := range map[string][]string{"acme": {"read_file", "weather"}, "other": {"read_file"}, "third": {"read_file"}} {
		if got := toolNames(c.Of(tenant).List(Filter{})); !cmp.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", tenant, got, want)
		}
	}
	if def, ok := c.Of("other").Lookup("read_file"); !ok || def.Group != "filesystem" {
		t.Errorf("other's own read_file hides the one everybody has: %+v", def)
	}
	if _, ok := c.Of("other").Lookup("weather"); ok {
		t.Error("other sees the tool of acme")
	}
	weather, _ := c.Of("acme").Lookup("weather")
	if v := c.Of("acme"); !v.Allows(nil, "a", weather) || v.Allows(&AgentRules{Groups: []string{"filesystem"}}, "a", weather) || c.Of("other").Allows(nil, "a", weather) {
		t.Error("the tool is to be allowed to agents of acme that may have it, and to nobody else")
	}
	with := map[string][]string{}
	for _, g := range c.Of("acme").Groups() {
		if len(g.Tools) > 0 {
			with[g.Name] = g.Tools
		}
	}
	if diff := cmp.Diff(map[string][]string{"custom": {"weather"}, "filesystem": {"read_file"}}, with); diff != "" {
		t.Errorf("groups with tools (-want +got):\n%s", diff)
	}
	c.Remove("acme", "weather")
	c.Remove("nobody", "weather")
	if _, ok := c.Of("acme").Lookup("weather"); ok {
		t.Error("a tool that was removed is still there")
	}
}

func TestLoadErrors(t *testing.T) {
	c, one := NewTenants(New()), 1
	c.SetLoadErrors("w1", []LoadError{{"b.json", &one, "no name"}, {"b.json", nil, "no script"}})
	c.SetLoadErrors("w2", []LoadError{{"b.json", &one, "no name"}, {"a.json", nil, "not JSON"}})
	want := []LoadError{{"a.json", nil, "not JSON"}, {"b.json", nil, "no script"}, {"b.json", &one, "no name"}}
	if diff := cmp.Diff(want, c.LoadErrors()); diff != "" {
		t.Errorf("load errors (-want +got):\n%s", diff)
	}
	c.SetLoadErrors("w1", nil)
	c.SetLoadErrors("w2", nil)
	if got := c.LoadErrors(); got == nil || len(got) != 0 {
		t.Errorf("load errors = %v, want an empty list", got)
	}
}
