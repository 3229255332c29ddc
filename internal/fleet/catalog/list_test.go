package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func TestList(t *testing.T) {
	disabled := tool.Definition{Name: "disabled", Group: "web"}
	c := filled(t,
		tool.Definition{
			Name:        "http_request",
			Description: "Fetch a page.",
			Category:    "Web & API",
			Group:       "web",
			Tags:        []string{"curl", "Über"},
			Enabled:     true,
		},
		tool.Definition{Name: "read_file", Description: "Read a page of text.", Category: "File System", Group: "filesystem", Enabled: true},
		tool.Definition{Name: "debug.echo", Description: "Echo.", Category: "Diagnostics", Group: Diagnostics, Enabled: true},
		disabled)

	for _, tt := range []struct {
		name   string
		filter Filter
		want   []string
	}{
		{"everything", Filter{}, []string{"debug.echo", "http_request", "read_file"}},
		{"an agent", Filter{Agent: "a"}, []string{"http_request", "read_file"}},
		{"an agent's rules", Filter{Agent: "a", Rules: &protocol.AgentRules{Tools: []string{"read_*"}}}, []string{"read_file"}},
		{"group", Filter{Group: "web"}, []string{"http_request"}},
		{"category", Filter{Category: "File System"}, []string{"read_file"}},
		{"unknown group", Filter{Group: "nope"}, []string{}},
		{"word of a description", Filter{Query: "page"}, []string{"http_request", "read_file"}},
		{"every word", Filter{Query: " PAGE  file "}, []string{"read_file"}},
		{"words from two places", Filter{Query: "curl web"}, []string{"http_request"}},
		{"beyond ASCII", Filter{Query: "über"}, []string{"http_request"}},
		{"not across two places", Filter{Query: "filesystem"}, []string{}},
		{"group and query", Filter{Group: "web", Query: "page"}, []string{"http_request"}},
	} {
		if got := toolNames(view(c).List(tt.filter)); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: List(%+v) = %q, want %q", tt.name, tt.filter, got, tt.want)
		}
	}
}
