package config

import (
	"testing"
	"time"
)

// TestKeep: a tenant's exception replaces the general time, and a tool's counts before both.
func TestKeep(t *testing.T) {
	t.Parallel()
	k := KeepSection{
		Errors: 30 * 24 * time.Hour, Successes: 24 * time.Hour, MaxBytes: 1 << 30,
		Tools:   []string{"read_file=never", "crm.*=2h"},
		Tenants: []string{"acme=errors:72h successes:never max_bytes:5MiB tools.read_file:1h", "plain=successes:1h"},
	}.Parsed()
	for _, tt := range []struct {
		tenant, tool string
		failed       bool
		want         time.Duration
	}{
		{"other", "add", true, 720 * time.Hour},
		{"other", "add", false, 24 * time.Hour},
		{"other", "read_file", true, 0},
		{"other", "crm.find", false, 2 * time.Hour},
		{"acme", "add", true, 72 * time.Hour},
		{"acme", "add", false, 0},
		{"acme", "read_file", false, time.Hour},
		{"acme", "crm.find", false, 2 * time.Hour},
		{"plain", "add", true, 720 * time.Hour},
		{"plain", "add", false, time.Hour},
		{"plain", "read_file", false, 0},
	} {
		if got := k.Time(tt.tenant, tt.tool, tt.failed); got != tt.want {
			t.Errorf("%s %s failed %v: kept for %v, want %v", tt.tenant, tt.tool, tt.failed, got, tt.want)
		}
	}
	for tenant, want := range map[string]int64{"": 1 << 30, "acme": 5 << 20, "plain": 0, "other": 0} {
		if got := k.MaxBytes(tenant); got != want {
			t.Errorf("bound of %q = %d, want %d", tenant, got, want)
		}
	}
}

// TestKeepIsChecked: an entry that would be read as something else is refused.
func TestKeepIsChecked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tools, tenants []string }{
		{tools: []string{"read_file"}},
		{tools: []string{"read_file=sometimes"}},
		{tools: []string{"read file=never"}},
		{tools: []string{"a=-1h"}},
		{tenants: []string{"acme"}},
		{tenants: []string{"acme="}},
		{tenants: []string{"acme=errors=1h"}},
		{tenants: []string{"acme=failures:1h"}},
		{tenants: []string{"acme=errors:1h max_bytes:1MB"}},
		{tenants: []string{"a b=errors:1h"}},
	} {
		c := Default()
		c.History.Keep.Tools, c.History.Keep.Tenants = tt.tools, tt.tenants
		if c.Validate() == nil {
			t.Errorf("%q %q is accepted", tt.tools, tt.tenants)
		}
	}
	c := Default()
	c.History.Keep.Tools, c.History.Keep.Tenants = []string{"*=never"}, []string{"acme=successes:0s tools.crm.*:never"}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}
