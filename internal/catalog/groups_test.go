package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroups(t *testing.T) {
	c := filled(t, def("write_file", "filesystem"), def("debug.echo", Diagnostics), def("read_file", "filesystem"))
	c.SetGroupEnabled("filesystem", false)
	c.SetGroupEnabled("not_there", false)
	want := []Group{
		{Name: "diagnostics", Category: "The diagnostics", Enabled: true, Tools: []string{"debug.echo"}},
		{Name: "filesystem", Category: "The filesystem", Enabled: false, Tools: []string{"read_file", "write_file"}},
	}
	if diff := cmp.Diff(want, c.Groups()); diff != "" {
		t.Errorf("Groups() (-want +got):\n%s", diff)
	}
	if got := New().Groups(); got == nil || len(got) != 0 {
		t.Errorf("Groups() of an empty catalog = %v, want an empty list", got)
	}
}

func TestSetGroupEnabled(t *testing.T) {
	off := def("off", "g")
	off.Enabled = false
	c := New()
	c.SetGroupEnabled("g", false) // known before its tools are
	if err := c.Put(def("on", "g", "alias"), off, def("other", "h")); err != nil {
		t.Fatal(err)
	}
	enabled := func(name string) bool {
		d, ok := c.Lookup(name)
		if !ok {
			t.Fatalf("Lookup(%s) found nothing", name)
		}
		return d.Enabled
	}
	before, _ := c.Lookup("on")
	for _, step := range []struct{ group, on, off, other bool }{
		{false, false, false, true},
		{true, true, false, true},
		{false, false, false, true},
	} {
		c.SetGroupEnabled("g", step.group)
		if enabled("on") != step.on || enabled("alias") != step.on || enabled("off") != step.off || enabled("other") != step.other {
			t.Errorf("with the group %v: on %v, alias %v, off %v, other %v", step.group, enabled("on"), enabled("alias"), enabled("off"), enabled("other"))
		}
		if before.Enabled {
			t.Error("a definition somebody holds was changed")
		}
		if got := c.All()[1]; got.Name != "on" || got.Enabled != step.on {
			t.Errorf("with the group %v: All() has %s enabled %v", step.group, got.Name, got.Enabled)
		}
	}
}
