package policy

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestTable: the table in docs/protocol.md, Policy, row by row.
func TestTable(t *testing.T) {
	t.Parallel()
	low := tool.Definition{Name: "t", Risk: tool.Low}
	medium := tool.Definition{Name: "t", Risk: tool.Medium}
	high := tool.Definition{Name: "t", Risk: tool.High}
	with := func(d tool.Definition, c tool.Confirmation, requires bool) tool.Definition {
		d.Confirmation, d.RequiresConfirmation = c, requires
		return d
	}
	for _, tt := range []struct {
		profile Profile
		def     tool.Definition
		mutates bool
		want    Outcome
		rule    string
	}{
		{Standard, low, false, Run, "table:low"},
		{Standard, low, true, Run, "table:low"},
		{Standard, medium, false, Run, "table:medium-reads"},
		{Standard, medium, true, Ask, "table:medium-mutates"},
		{Standard, high, false, Ask, "table:high"},
		{Standard, high, true, Ask, "table:high"},
		{"", medium, true, Ask, "table:medium-mutates"},
		{"", medium, false, Run, "table:medium-reads"},

		{Standard, with(low, tool.ConfirmIfDestructive, false), true, Run, "table:low"},
		{Standard, with(medium, tool.ConfirmIfDestructive, false), true, Ask, "table:medium-mutates"},
		{Standard, with(low, tool.ConfirmAlways, false), false, Ask, "table:confirmation-always"},
		{Standard, with(low, "", true), false, Ask, "table:requires-confirmation"},
		{Standard, with(medium, tool.ConfirmNever, false), true, Run, "table:confirmation-never"},
		{Standard, with(medium, tool.ConfirmNever, true), true, Ask, "table:requires-confirmation"},
		{Standard, with(high, tool.ConfirmNever, false), false, Ask, "table:high"},
		{Standard, with(high, tool.ConfirmAlways, true), true, Ask, "table:high"},

		{Strict, low, false, Run, "table:low"},
		{Strict, low, true, Ask, "table:strict-mutates"},
		{Strict, medium, false, Ask, "table:strict-medium"},
		{Strict, medium, true, Ask, "table:strict-mutates"},
		{Strict, high, false, Ask, "table:high"},
		{Strict, with(medium, tool.ConfirmNever, false), true, Ask, "table:strict-mutates"},
		{Strict, with(low, tool.ConfirmAlways, false), false, Ask, "table:confirmation-always"},

		{Auto, low, true, Run, "table:auto"},
		{Auto, medium, true, Run, "table:auto"},
		{Auto, high, true, Run, "table:auto"},
		{Auto, with(low, tool.ConfirmAlways, true), true, Run, "table:auto"},

		{Standard, tool.Definition{Name: "t", Risk: "odd"}, false, Ask, "table:high"},
		{Standard, tool.Definition{Name: "t"}, false, Ask, "table:high"},
		{"odd", low, true, Ask, "table:strict-mutates"},
	} {
		got := Table(tt.profile, &tt.def, tt.mutates)
		if got.Outcome != tt.want || got.Rule != tt.rule || got.Reason == "" {
			t.Errorf("Table(%q, %s %s requires=%v, mutates=%v) = %+v, want %s by %s and why",
				tt.profile, tt.def.Risk, tt.def.Confirmation, tt.def.RequiresConfirmation, tt.mutates, got, tt.want, tt.rule)
		}
		if strong := tt.rule == "table:high"; got.Strong != strong || got.TTL != 0 || got.Narrow != nil {
			t.Errorf("Table(%q, %s) = %+v, want strong %v and nothing else", tt.profile, tt.def.Risk, got, strong)
		}
	}
}

func TestParseProfile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Profile{"": Standard, "strict": Strict, "standard": Standard, "auto": Auto, "Auto": "", "none": ""} {
		got, err := ParseProfile(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ParseProfile(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
}
