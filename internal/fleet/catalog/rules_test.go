package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/protocol"
)

// view is c as a tenant sees it where nothing is switched.
func view(c *Catalog) View { return NewTenants(c).Of("t", "") }

func TestAllows(t *testing.T) {
	off := def("off", "filesystem")
	off.Enabled = false
	c := filled(t, def("read_file", "filesystem", "open_file"), def("delete_file", "filesystem"), def("get_weather", "weather"),
		def("get_mail", "made"), def("debug.echo", Diagnostics), def("debug.fail", Diagnostics), off)
	usual := []string{"debug.echo", "debug.fail", "delete_file", "get_mail", "read_file"} // no weather, which is off by default
	plain := []string{"delete_file", "get_mail", "get_weather", "read_file"}              // a * names the weather too

	for _, tt := range []struct {
		name, agent string
		rules       *protocol.AgentRules
		want        []string
	}{
		{"no agent", "", nil, usual},
		{"no record", "a", nil, []string{"delete_file", "get_mail", "read_file"}},
		{"empty record", "a", &protocol.AgentRules{}, []string{}},
		{"all", "a", &protocol.AgentRules{Tools: []string{"*"}}, plain},
		{"all groups", "a", &protocol.AgentRules{Groups: []string{"*"}}, plain},
		{"one", "a", &protocol.AgentRules{Tools: []string{"read_file"}}, []string{"read_file"}},
		{"by alias", "a", &protocol.AgentRules{Tools: []string{"open_file"}}, []string{"read_file"}},
		{"no exact match", "a", &protocol.AgentRules{Tools: []string{"read", "read_file2"}}, []string{}},
		{"prefix", "a", &protocol.AgentRules{Tools: []string{"get_*"}}, []string{"get_mail", "get_weather"}},
		{"group", "a", &protocol.AgentRules{Groups: []string{"filesystem"}}, []string{"delete_file", "read_file"}},
		{"group prefix", "a", &protocol.AgentRules{Groups: []string{"we*"}}, []string{"get_weather"}},
		{
			"both add", "a", &protocol.AgentRules{Tools: []string{"get_weather"}, Groups: []string{"filesystem"}},
			[]string{"delete_file", "get_weather", "read_file"},
		},
		{"deny", "a", &protocol.AgentRules{Groups: []string{"filesystem"}, Deny: []string{"delete_*"}}, []string{"read_file"}},
		{"deny wins", "a", &protocol.AgentRules{Tools: []string{"read_file"}, Deny: []string{"read_file"}}, []string{}},
		{"deny by alias", "a", &protocol.AgentRules{Tools: []string{"read_file"}, Deny: []string{"open_file"}}, []string{}},
		{"deny a group", "a", &protocol.AgentRules{Tools: []string{"*"}, Deny: []string{"filesystem"}}, []string{"get_mail", "get_weather"}},
		{"deny all", "a", &protocol.AgentRules{Tools: []string{"*"}, Deny: []string{"*"}}, []string{}},
		{"diagnostics by prefix", "a", &protocol.AgentRules{Tools: []string{"debug.*"}}, []string{"debug.echo", "debug.fail"}},
		{
			"diagnostics by name", "a", &protocol.AgentRules{Tools: []string{"*", "debug.echo"}},
			slices.Insert(slices.Clone(plain), 0, "debug.echo"),
		},
		{"diagnostics by group", "a", &protocol.AgentRules{Groups: []string{"diagnostics"}}, []string{"debug.echo", "debug.fail"}},
		{"disabled stays so", "a", &protocol.AgentRules{Tools: []string{"off"}}, []string{}},
	} {
		got := []string{}
		for _, d := range c.All() {
			if view(c).Allows(tt.rules, tt.agent, d) {
				got = append(got, d.Name)
			}
		}
		if !cmp.Equal(got, tt.want) {
			t.Errorf("%s: Allows lets through %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAllowsJudgesByTheCatalog(t *testing.T) {
	c := filled(t, def("a", "g"), def("b", "g"))
	a, _ := c.Lookup("a")
	b, _ := c.Lookup("b")
	c.Remove("a")
	if view(c).Allows(nil, "", a) {
		t.Error("Allows lets through a tool that was removed")
	}
	off := def("b", "g")
	off.Enabled = false
	if err := c.Put(off); err != nil {
		t.Fatal(err)
	}
	if view(c).Allows(nil, "", b) {
		t.Error("Allows lets through a tool that was switched off since")
	}
}

func TestValidate(t *testing.T) {
	many := slices.Repeat([]string{"a"}, maxNames)
	for _, tt := range []struct {
		rules protocol.AgentRules
		want  []string // parts of the error
	}{
		{protocol.AgentRules{}, nil},
		{protocol.AgentRules{Tools: []string{"*", "a", "files.*", "a_b"}, Groups: []string{"local-apps", "g*"}, Deny: []string{"delete_*"}}, nil},
		{protocol.AgentRules{Tools: many}, nil},
		{protocol.AgentRules{Tools: append(many, "a")}, []string{"tools has 1001 entries"}},
		{
			protocol.AgentRules{Tools: []string{""}, Groups: []string{"a", "b*c"}, Deny: []string{"**"}},
			[]string{`tools[0] ""`, `groups[1] "b*c"`, `deny[0] "**"`},
		},
		{protocol.AgentRules{Tools: []string{"a b", strings.Repeat("x", 65)}}, []string{`tools[0] "a b"`, `tools[1] "xxx`}},
		{protocol.AgentRules{Tools: []string{"a\n"}}, []string{`tools[0] "a\n"`}},
	} {
		err := CheckRules(tt.rules)
		if (err == nil) != (tt.want == nil) {
			t.Errorf("Validate(%.100v) = %v, want %q", tt.rules, err, tt.want)
		}
		for _, part := range tt.want {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("Validate(%.100v) = %v, want %q in it", tt.rules, err, part)
			}
		}
	}
}

func TestAgentRulesJSON(t *testing.T) {
	const text = `{"agent":"a1","tools":["a*"],"groups":["g"],"deny":["d"]}`
	want := protocol.Agent{Name: "a1", Tools: []string{"a*"}, Groups: []string{"g"}, Deny: []string{"d"}}
	var got protocol.Agent
	if err := json.Unmarshal([]byte(text), &got); err != nil || !cmp.Equal(got, want) {
		t.Errorf("Unmarshal(%s) = %+v, %v, want %+v", text, got, err, want)
	}
	if raw, err := json.Marshal(want); err != nil || string(raw) != text {
		t.Errorf("Marshal(%+v) = %s, %v, want %s", want, raw, err, text)
	}
}
