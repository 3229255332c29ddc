package catalog

import (
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestRated: a durable tool has the greatest risk of the tools that it may call, as a person has
// them, and all of their reach; what is not there counts as the worst.
func TestRated(t *testing.T) {
	t.Parallel()
	of := func(name string, risk tool.Risk, change func(*tool.Definition), aliases ...string) tool.Definition {
		d := def(name, "files", aliases...)
		d.Risk = risk
		if change != nil {
			change(&d)
		}
		return d
	}
	saved := func(name string, list ...string) tool.Definition {
		return of(name, tool.Low, func(d *tool.Definition) { d.Durable, d.Tools, d.Idempotent = true, list, true })
	}
	all := NewTenants(filled(t,
		of("read", tool.Low, func(d *tool.Definition) { d.Scopes.Paths = []string{"workspace"} }),
		of("files.remove", tool.Medium, func(d *tool.Definition) { d.Mutates, d.Destructive = true, true }, "rm_all"),
		of("mail", tool.Medium, func(d *tool.Definition) { d.OpenWorld, d.Scopes.Hosts = true, []string{"mail.example"} }),
		of("web", tool.Low, func(d *tool.Definition) { d.OpenWorld = true }),
		of("foreign", tool.High, func(d *tool.Definition) { d.BoundTo = &tool.Contexts{Tenants: []string{"other"}} }),
		saved("reads", "read"), saved("removes", "files.*"), saved("by_alias", "rm_*"), saved("mails", "mail", "read"), saved("wide", "mail", "web"),
		saved("hopes", "nothing_there"), saved("around", "removes"), saved("ping", "pong"), saved("pong", "ping", "mail"), saved("nothing"),
		saved("others", "foreign"), saved("mine", "own"),
	))
	if err := all.PutOwn("acme", "ann", of("own", tool.Medium, nil)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		user, name string
		risk       tool.Risk
		mutates    bool
		world      bool
		hosts      []string
	}{
		{"ann", "reads", tool.Low, false, false, []string{}},
		{"ann", "removes", tool.Medium, true, false, []string{}},
		{"ann", "by_alias", tool.Medium, true, false, []string{}},
		{"ann", "mails", tool.Medium, false, true, []string{"mail.example"}},
		{"ann", "wide", tool.Medium, false, true, []string{}},
		{"ann", "hopes", tool.High, true, true, []string{}},
		{"ann", "around", tool.Medium, true, false, []string{}},
		{"ann", "ping", tool.Medium, false, true, []string{"mail.example"}},
		{"ann", "nothing", tool.Low, false, false, []string{}},
		{"ann", "others", tool.High, true, true, []string{}},
		{"ann", "mine", tool.Medium, false, false, []string{}},
		{"bob", "mine", tool.High, true, true, []string{}},
	} {
		view := all.Of("acme", tt.user)
		got, _ := view.Lookup(tt.name)
		if got.Risk != tt.risk || got.Mutates != tt.mutates || got.Destructive && !got.Mutates || got.OpenWorld != tt.world || got.Idempotent == tt.mutates ||
			!slices.Equal(got.Scopes.Hosts, tt.hosts) {
			t.Errorf("%s has %s as %+v", tt.user, tt.name, got)
		}
		i := slices.IndexFunc(view.List(Filter{}), func(d *tool.Definition) bool { return d.Name == tt.name })
		if listed := view.List(Filter{})[i]; listed.Risk != tt.risk || listed.Mutates != tt.mutates {
			t.Errorf("%s is listed as %+v", tt.name, listed)
		}
	}
	if stated, _ := all.Shared.Lookup("removes"); stated.Risk != tool.Low || stated.Mutates {
		t.Errorf("the stored definition was changed: %+v", stated)
	}
}
