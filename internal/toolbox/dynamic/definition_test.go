package dynamic

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/tool"
)

// TestRisk: the risk of a tool follows from the permissions of its code, and can only be
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
		{[]string{permission.Local}, "", tool.Low, false, false},
		{[]string{permission.Network}, "", tool.Low, true, true},
		{[]string{permission.Filesystem}, "", tool.Low, true, false},
		{[]string{permission.Database}, "", tool.Low, true, false},
		{[]string{permission.Filesystem, permission.Network}, "", tool.Medium, true, true},
		{[]string{permission.Network, permission.Database}, "", tool.Medium, true, true},
		{[]string{permission.Filesystem, permission.Database}, "", tool.Low, true, false},
		{[]string{permission.Email}, "", tool.Medium, true, true},
		{[]string{permission.Scheduling}, "", tool.Medium, true, false},
		{[]string{permission.Shell}, "", tool.High, true, false},
		{[]string{permission.Shell}, tool.Low, tool.High, true, false},
		{[]string{permission.Network}, tool.Medium, tool.Medium, true, true},
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
		{[]string{permission.Network}, tool.Scopes{Paths: []string{}, Hosts: []string{"api.example.com"}, Apps: []string{}}},
		{[]string{permission.Filesystem, permission.Shell}, tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{}, Apps: []string{"*"}}},
	} {
		one.Permissions = tt.permissions
		if diff := cmp.Diff(tt.want, Definition(&one).Scopes); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.permissions, diff)
		}
	}
}
