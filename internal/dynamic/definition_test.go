package dynamic

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// TestRisk: how risky a tool is follows from what its code may do, and can only be
// raised.
func TestRisk(t *testing.T) {
	for _, tt := range []struct {
		permissions []string
		risk        tool.Risk
		want        tool.Risk
		mutates     bool
		open        bool
	}{
		{nil, "", tool.Low, false, false},
		{[]string{Local}, "", tool.Low, false, false},
		{[]string{Network}, "", tool.Low, true, true},
		{[]string{Filesystem}, "", tool.Low, true, false},
		{[]string{Database}, "", tool.Low, true, false},
		{[]string{Email}, "", tool.Medium, true, true},
		{[]string{Scheduling}, "", tool.Medium, true, false},
		{[]string{Shell}, "", tool.High, true, false},
		{[]string{Shell}, tool.Low, tool.High, true, false},
		{[]string{Network}, tool.Medium, tool.Medium, true, true},
		{nil, tool.High, tool.High, false, false},
	} {
		one := sample("x")
		one.Permissions, one.Risk = tt.permissions, tt.risk
		def := Definition(&one)
		if def.Risk != tt.want || def.Mutates != tt.mutates || def.OpenWorld != tt.open || def.Idempotent == tt.mutates {
			t.Errorf("%v raised to %q: risk %s, mutates %v, open %v, idempotent %v, want %s, %v, %v, %v", tt.permissions, tt.risk,
				def.Risk, def.Mutates, def.OpenWorld, def.Idempotent, tt.want, tt.mutates, tt.open, !tt.mutates)
		}
	}
}

func TestScopes(t *testing.T) {
	one := sample("x")
	one.Hosts = []string{"api.example.com"}
	for _, tt := range []struct {
		permissions []string
		want        tool.Scopes
	}{
		{nil, tool.Scopes{Paths: []string{}, Hosts: []string{}, Apps: []string{}}},
		{[]string{Network}, tool.Scopes{Paths: []string{}, Hosts: []string{"api.example.com"}, Apps: []string{}}},
		{[]string{Filesystem, Shell}, tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{}, Apps: []string{"*"}}},
	} {
		one.Permissions = tt.permissions
		if diff := cmp.Diff(tt.want, Definition(&one).Scopes); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.permissions, diff)
		}
	}
}

func TestReaches(t *testing.T) {
	low := func(category string) *tool.Definition { return &tool.Definition{Category: category, Risk: tool.Low} }
	acts := func(category string) *tool.Definition {
		return &tool.Definition{Category: category, Risk: tool.Medium, Mutates: true, OpenWorld: true}
	}
	script := &tool.Definition{Category: "Custom", Kind: tool.KindDynamic, Risk: tool.Low, Mutates: true}
	for _, tt := range []struct {
		name        string
		permissions []string
		def         *tool.Definition
		needs       []string
		want        bool
	}{
		{"what changes nothing", nil, low("Utilities"), nil, true},
		{"what reaches out", nil, &tool.Definition{Category: "Web & API", Risk: tool.Low, OpenWorld: true}, nil, false},
		{"what changes something", nil, &tool.Definition{Category: "File System", Risk: tool.Low, Mutates: true}, nil, false},
		{"what is risky", nil, &tool.Definition{Category: "Utilities", Risk: tool.Medium}, nil, false},
		{"its category", []string{Filesystem}, acts("File System"), nil, true},
		{"another category", []string{Filesystem}, acts("Email"), nil, false},
		{"web", []string{Network}, acts("Web & API"), nil, true},
		{"data", []string{Database}, acts("Finance"), nil, true},
		{"shell", []string{Shell}, acts("Git"), nil, true},
		{"mail", []string{Email}, acts("Email"), nil, true},
		{"schedules", []string{Scheduling}, acts("Scheduler"), nil, true},
		{"local adds nothing", []string{Local}, acts("Utilities"), nil, false},
		{"management, whatever is allowed", Permissions(), low(Management), nil, false},
		{"a script that may less", []string{Filesystem, Network}, script, []string{Network}, true},
		{"a script that may more", []string{Filesystem}, script, []string{Network}, false},
	} {
		if got := Reaches(tt.permissions, tt.def, tt.needs); got != tt.want {
			t.Errorf("%s: Reaches(%v, %+v) = %v, want %v", tt.name, tt.permissions, tt.def, got, tt.want)
		}
	}
}
