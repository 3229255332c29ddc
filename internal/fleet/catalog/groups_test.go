package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// groupsOf returns the groups that pass, by name.
func groupsOf(v View, pass func(protocol.Group) bool) []string {
	names := []string{}
	for _, g := range v.Groups() {
		if pass(g) {
			names = append(names, g.Name)
		}
	}
	return names
}

func TestGroups(t *testing.T) {
	c := filled(t, def("write_file", "filesystem"), def("read_file", "filesystem", "cat"), def("git_add", "git"), def("made", "scripts"))
	v := view(c)
	byDefault := groupsOf(v, func(g protocol.Group) bool { return g.DefaultEnabled })
	for _, name := range []string{"core", "filesystem", "tasks", "customTools", "mathStats", "scripts"} {
		if !slices.Contains(byDefault, name) {
			t.Errorf("%s is not on by default", name)
		}
	}
	for _, name := range []string{
		"codeExecution", "webFetch", "email", "weather", "git", "image", "audio", "pdf", "translation", "vectorSearch", "dataExtraction", "shell",
	} {
		if slices.Contains(byDefault, name) {
			t.Errorf("%s is on by default", name)
		}
	}
	if all := groupsOf(v, func(protocol.Group) bool { return true }); !slices.IsSorted(all) || slices.Contains(all, Diagnostics) {
		t.Errorf("groups = %q, want them sorted, without the diagnostics", all)
	}
	g, ok := v.GroupOf("cat")
	want := protocol.Group{
		Name: "filesystem", Title: "Files", Description: known["filesystem"].Description, Category: "The filesystem",
		Enabled: true, DefaultEnabled: true, DependsOn: []string{}, Tools: []string{"read_file", "write_file"},
	}
	if diff := cmp.Diff(want, g); !ok || diff != "" {
		t.Errorf("GroupOf(cat) = %v (-want +got):\n%s", ok, diff)
	}
	if _, ok := v.GroupOf("nope"); ok {
		t.Error("GroupOf a tool that is not there found one")
	}
	stats := StatsOf(v.Groups())
	if stats.Tools != 4 || stats.EnabledTools != 3 || stats.Groups != len(v.Groups()) || stats.EnabledDefault != len(byDefault) ||
		stats.DisabledDefault != stats.Groups-stats.EnabledDefault || stats.SwitchedOffTools != 0 {
		t.Errorf("StatsOf = %+v", stats)
	}
}

func switches(t *testing.T, entries ...string) Switches {
	t.Helper()
	s, err := ParseSwitches(entries)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSwitches(t *testing.T) {
	c := NewTenants(filled(t, def("git_add", "git"), def("read_file", "filesystem"), def("note", "notes")))
	c.Switches = switches(t, "git=on", "notes=off", "acme:notes=on", "shut:filesystem=off", "shut:git=on", "plain:git=off")
	record := &protocol.AgentRules{Tools: []string{"*"}}
	for _, tt := range []struct {
		tenant, agent string
		rules         *protocol.AgentRules
		want          []string
	}{
		{"other", "a", nil, []string{"git_add", "read_file"}},
		{"other", "a", record, []string{"git_add", "read_file"}},
		{"other", "", nil, []string{"git_add", "read_file"}},
		{"acme", "a", nil, []string{"git_add", "note", "read_file"}},
		{"plain", "a", nil, []string{"read_file"}},
		{"plain", "a", record, []string{"read_file"}}, // what is off nobody has
		{"plain", "", nil, []string{"read_file"}},
		{"shut", "a", nil, []string{}}, // git needs the files
		{"shut", "", nil, []string{}},
	} {
		got := toolNames(c.Of(tt.tenant, "").List(Filter{Agent: tt.agent, Rules: tt.rules}))
		if !cmp.Equal(got, tt.want) {
			t.Errorf("%s, agent %q, rules %v: %q, want %q", tt.tenant, tt.agent, tt.rules, got, tt.want)
		}
	}
	off := groupsOf(c.Of("shut", ""), func(g protocol.Group) bool { return g.SwitchedOff })
	if want := []string{
		"audio", "cliTools", "codingAgents", "documents", "filesystem", "git", "image", "notes", "pdf", "shell",
	}; !cmp.Equal(off, want) {
		t.Errorf("switched off for shut: %q, want %q", off, want)
	}
	def, _ := c.Shared.Lookup("git_add")
	if c.Of("other", "").Off(def) || !c.Of("shut", "").Off(def) {
		t.Error("Off(git_add) is to be true for shut only")
	}
}

func TestParseSwitchesRefuses(t *testing.T) {
	for _, entry := range []string{
		"", "git", "git=", "git=yes", "=on", "acme:=on", ":git=on", "webfetch=on", "acme:GIT=off", "web_fetch=off", "code-execution=off",
		"git=off", "git=on",
	} {
		if _, err := ParseSwitches([]string{"git=on", entry}); err == nil {
			t.Errorf("ParseSwitches(%q) succeeded", entry)
		}
	}
	if _, err := ParseSwitches([]string{"acme:git=on", "acme:git=off"}); err == nil {
		t.Error("a group that is on and off for one tenant was taken")
	}
	if _, err := ParseSwitches([]string{"git=off", "acme:git=on", "my-scripts=off"}); err != nil {
		t.Errorf("a tenant's own, and a group of an operator's own: %v", err)
	}
}

// TestKnownGroups holds the table to itself.
func TestKnownGroups(t *testing.T) {
	for name, g := range known {
		if g.Title == "" || g.Description == "" {
			t.Errorf("%s has no title or description", name)
		}
		for _, other := range g.DependsOn {
			if _, ok := known[other]; !ok || other == name || len(known[other].DependsOn) > 0 {
				t.Errorf("%s depends on %s, which is not there, itself, or depends on others", name, other)
			}
		}
	}
}

// TestGroupsFor: an agent's groups hold the tools that it may use; without an agent
// they are those that everybody sees.
func TestGroupsFor(t *testing.T) {
	v := view(filled(t, def("write_file", "filesystem"), def("read_file", "filesystem"), def("git_add", "git")))
	if diff := cmp.Diff(v.Groups(), v.GroupsFor(nil, "")); diff != "" {
		t.Errorf("without an agent (-Groups +GroupsFor):\n%s", diff)
	}
	for _, g := range v.GroupsFor(&protocol.AgentRules{Tools: []string{"read_*"}, Groups: []string{"git"}}, "a") {
		want := map[string][]string{"filesystem": {"read_file"}, "git": {"git_add"}}[g.Name]
		if !slices.Equal(g.Tools, want) || g.Enabled != (len(want) > 0) {
			t.Errorf("%s has %q, enabled %v, want %q", g.Name, g.Tools, g.Enabled, want)
		}
	}
}

// TestUnavailable names the group and who can enable it.
// TestOffWithoutAgent: a group that is off by default is off for calls without an agent too,
// until it is switched on.
func TestOffWithoutAgent(t *testing.T) {
	weather, git := def("get_weather", "weather"), def("git_add", "git")
	all := NewTenants(filled(t, weather, git))
	all.Switches = switches(t, "git=on", "other:weather=on")
	v := all.Of("acme", "")
	if v.Allows(nil, "", &weather) || !v.Allows(nil, "", &git) {
		t.Error("a call without an agent has not just the groups that are switched on")
	}
	if err := v.Unavailable(&weather, "", "get_weather"); !strings.Contains(err.Msg, "--group weather=on") ||
		!strings.Contains(err.Msg, "helve agents set AGENT --groups weather") {
		t.Errorf("Unavailable = %v", err)
	}
	if names := v.List(Filter{}); len(names) != 1 || names[0].Name != "git_add" {
		t.Errorf("List = %v", names)
	}
}

func TestUnavailable(t *testing.T) {
	one := def("git_add", "git")
	for entry, want := range map[string]string{
		"git=off": "Tool 'old' is switched off: it is in group 'git', which an operator switches on with --group git=on",
		"core=off": "Tool 'old' is not available for this agent: it is in group 'git', which an admin allows with `helve agents set a " +
			"--groups`, or an operator switches on with --group git=on",
	} {
		d := one
		if got := switches(t, entry).Unavailable("t", &d, "a", "old"); got.Kind != tool.ToolNotAvailable || got.Msg != want {
			t.Errorf("%s: %v, want %s", entry, got, want)
		}
	}
}
