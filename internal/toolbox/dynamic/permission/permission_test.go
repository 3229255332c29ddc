package permission

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

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
